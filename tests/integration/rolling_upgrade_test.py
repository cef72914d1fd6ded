#!/usr/bin/env python3
"""Tests that two replicas are replaced, one after the other, while the API server asks them: from the
image, behind the Service's address, no call of the webhook fails."""

import unittest

from support.agent import enter_network
from support.objects import deployment, policy
from support.pod_case import NODES, PodCase
from support.webhook import Load


class RollingUpgradeTest(PodCase):
    RELEASED = ('preset="ha"',)
    LOADS = {("shop", "web"): 150}

    def test_loses_no_call_and_writes_once(self):
        before = {pod["metadata"]["uid"]: pod["spec"]["nodeName"] for pod in self.pods()}
        self.assertEqual(sorted(before.values()), sorted(NODES))
        shop = self.cluster.namespace("shop")
        shop.apply(deployment("web"), policy("web", window=300))
        self.wait_for_replicas(shop, deployment("web"), 3)
        with Load(self.api, threads=4) as calls:
            calls.more(20)
            self.install(*self.RELEASED, 'podAnnotations={"turn":"second"}')
            calls.more(20)
        self.assertEqual(calls.lost, [])
        after = {pod["metadata"]["uid"]: pod["spec"]["nodeName"] for pod in self.pods()}
        self.assertEqual(sorted(after.values()), sorted(NODES))
        self.assertEqual(set(after) & set(before), set())

        # The new leader goes on, and nothing was written besides.
        self.load.set("web", 240)
        self.wait_for_replicas(shop, deployment("web"), 5)
        self.wait_for_writes("shop", (1, 3), (3, 5), target="web")


if __name__ == "__main__":
    enter_network()
    unittest.main()
