#!/usr/bin/env python3
"""Tests that Ballast, as the controller of HPAs, takes the same steps as Kubernetes' own controller
beside it: same cluster, same loads, same HPAs, the same counts in the same order. Where a window or
a rate releases a step, it is not later; on ramps, which the two look at in different moments, end
and direction are the same. And that both get where upstream's own end-to-end tests want an HPA to
get.

How both fit into one cluster: Kubernetes' controller serves every HPA of a cluster. But it only can
do what its account may, and here that is everything in the namespaces of its own twins, and
elsewhere only to watch HPAs and pods. Of Ballast's twins it gets neither the scale, nor the right
to write scale, status or event. So Ballast finds the status untouched, claims these HPAs as
docs/hpa.md says, and manages them; it may do that in their namespaces alone. In the end managedFields
prove that each twin was written by its own controller only.

Both ask the API server through one proxy, which records the writes. All cases are played at once.
BALLAST_TEST_LONG plays all of upstream's cases, with the periods and windows that these have."""

import unittest

from support.case import ClusterCase
from support.ledger import replay
from support.long_form import LONG
from support.stairs import FLAGS, GATES, PERIOD, STAIRS
from support.twins import Twins, loads
from support.upstream_cases import UPSTREAM_CASES

CASES = [case for case in STAIRS + UPSTREAM_CASES if LONG or not case.long]


class SideBySideTest(ClusterCase):
    VALUES = ('operator.hpaTakeoverNamespaces=["*"]',
              'customTargets=[{"group":"example.com","resources":["widgets"]}]')
    OPTIONS = tuple(word for gate in GATES for word in ("--flag", f"kube-apiserver={gate}"))
    LOADS = loads(CASES)

    def test_the_same_steps(self):
        for case, different in Twins(self, CASES, PERIOD, *FLAGS).run():
            with self.subTest(case.name):
                self.assertFalse(different, "\n".join(different))
        self.assertEqual(replay(self.store()), "")


if __name__ == "__main__":
    unittest.main()
