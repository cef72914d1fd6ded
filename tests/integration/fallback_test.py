#!/usr/bin/env python3
"""Tests that a fallback counts once no metric has answered for long enough, through a kill -9, and that
nothing is left of it once one answers."""

import unittest

from support.adapter import Adapter, Lie
from support.case import ClusterCase
from support.objects import condition, deployment, policy
from support.process import ballast
from support.waiting import wait_until

OUTAGE = {"queue": Lie(status=500, body=b"{}")}


class FallbackTest(ClusterCase):
    def test_counts_while_no_metric_does(self):
        values = {"queue": "40"}
        adapter = Adapter(self.cluster, values)
        self.addCleanup(adapter.close)
        space, web = self.cluster.namespace("fallback"), deployment("web")
        space.apply(web, policy("web", window=600, fallback={"afterSeconds": 4, "replicas": 6}, metrics=[
            {"type": "External", "external": {
                "metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "10"}}}]))

        def held():
            found = condition(space.policy("web"), "Held")
            return found["reason"] == "Fallback" and found["message"]

        operator = self.operator().wait_ready()
        self.wait_for_replicas(space, web, 4)
        adapter.lies = OUTAGE
        self.wait_for_replicas(space, web, 6)
        self.assertIn("No metric has given a value since", wait_until("the fallback to hold", held))
        adapter.lies = {}
        self.wait_for_replicas(space, web, 4)  # though the window is of ten minutes
        self.wait_for_condition(space, "web", "Held", status="False", reason="Active")

        adapter.lies = OUTAGE
        self.wait_for_replicas(space, web, 6)
        message = wait_until("the fallback to hold", held)
        operator.kill()
        self.api.merge(space.path(web), {"spec": {"replicas": 5}})
        self.operator().wait_ready()
        self.wait_for_replicas(space, web, 6)
        self.assertEqual(held(), message, "it is known since when")
        why = lambda: ballast("why", "fallback/web", "--store", self.store()).stdout
        wait_until(lambda: f"the reason: {why()}", lambda: "spec.fallback" in why())
        values["queue"] = "80"
        adapter.lies = {}
        self.wait_for_replicas(space, web, 8)
        self.wait_for_condition(space, "web", "Held", status="False", reason="Active")


if __name__ == "__main__":
    unittest.main()
