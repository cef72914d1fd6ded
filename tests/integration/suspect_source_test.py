#!/usr/bin/env python3
"""Tests that a source of metrics that turns to zero for five policies at once scales none of them in:
through a restart, until somebody trusts it or it recovers."""

import unittest

from support.adapter import Adapter
from support.case import ClusterCase
from support.objects import condition, deployment, policy
from support.process import ballast
from support.waiting import wait_until

NAMES = [f"queue-{number}" for number in range(5)]
TRUST = {"metadata": {"annotations": {"ballast.dev/sources-trusted-until": "2999-01-01T00:00:00Z"}}}


def queue_policy(name):
    # The first four are evaluated before the fifth: the window holds them until their next turn.
    return policy(name, window=30, metrics=[{"type": "External", "external": {
        "metric": {"name": name}, "target": {"type": "AverageValue", "averageValue": "10"}}}])


class SuspectSourceTest(ClusterCase):
    def held(self, space, name):
        found = condition(space.policy(name), "Held")
        return found["reason"] == "SourceSuspect" and found["message"]

    def test_five_queues_that_drain_at_once(self):
        values = {name: "40" for name in NAMES}
        adapter = Adapter(self.cluster, values)
        self.addCleanup(adapter.close)
        space = self.cluster.namespace("suspect")
        space.apply(*map(deployment, NAMES), *map(queue_policy, NAMES))
        operator = self.operator().wait_ready()
        for name in NAMES:
            self.wait_for_replicas(space, deployment(name), 4)

        adapter.answering.clear()  # no evaluation begins meanwhile
        values.update({name: "0" for name in NAMES})
        adapter.answering.set()
        messages = [wait_until(lambda n=name: f"{n} held: {space.policy(n).get('status')}",
                               lambda n=name: self.held(space, n)) for name in NAMES]
        for message in messages:
            self.assertIn("external.metrics.k8s.io turned to zero", message)
        trusted, *others = NAMES
        wait_until(lambda: f"an event: {space.events(others[0])}", lambda: [
            event for event in space.events(others[0])
            if event["reason"] == "SourceSuspect" and event["type"] == "Warning"])

        operator.kill()
        operator = self.operator().wait_ready()
        self.api.merge(space.path(queue_policy(trusted)), TRUST)
        self.wait_for_replicas(space, deployment(trusted), 1)
        for name, message in zip(NAMES[1:], messages[1:]):
            self.assertEqual(space.replicas(deployment(name)), 4, name)
            self.assertEqual(self.held(space, name), message, "it ends when it was to end")
        why = lambda: ballast("why", f"suspect/{others[0]}", "--store", self.store()).stdout
        wait_until(lambda: f"the reason: {why()}", lambda: (
            "stayed at 4 replicas" in why()
            and "external.metrics.k8s.io turned to zero" in why().splitlines()[0]))

        values.update({name: "20" for name in others})
        for name in others:
            self.wait_for_replicas(space, deployment(name), 2)
            self.wait_for_condition(space, name, "Held", status="False", reason="Active")


if __name__ == "__main__":
    unittest.main()
