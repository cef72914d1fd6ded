#!/usr/bin/env python3
"""Tests that a rate and a window make the replicas follow the load in the same steps as the
upstream controller's beside it. tests/bench/staircase measures when each step comes."""

import unittest

from support.case import ClusterCase
from support.staircase import SIDES, STEPS, Staircase, loads


class StaircaseTest(ClusterCase):
    LOADS = loads(1)

    def test_makes_the_steps_that_the_upstream_controller_makes(self):
        climbs = Staircase(self, 1).run()
        for side in SIDES:
            with self.subTest(side):
                self.assertEqual(climbs[side][0].counts, STEPS)


if __name__ == "__main__":
    unittest.main()
