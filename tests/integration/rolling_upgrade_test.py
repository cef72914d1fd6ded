#!/usr/bin/env python3
"""Tests that two replicas are replaced, one after the other, under load: from the image, behind the
Service's address, no call of the webhook fails; whoever leads, nothing is written twice or scaled in
early."""

import unittest

from support.agent import enter_network
from support.rolling_case import RollingCase


class RollingUpgradeTest(RollingCase):
    ROLLS = ("shop",)

    def test_loses_no_call_and_writes_once(self):
        self.roll("shop", lambda: self.install(*self.RELEASED, 'podAnnotations={"turn":"second"}'))


if __name__ == "__main__":
    enter_network()
    unittest.main()
