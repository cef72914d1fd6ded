#!/usr/bin/env python3
"""Tests overrides on a cluster: that they act at once and end, whose they are, and that they outlive operators."""

import json
import time
import unittest

from support.api import ApiError, path
from support.case import ClusterCase
from support.ledger import replay
from support.objects import POLICY, deployment, override, policy
from support.process import ballast
from support.waiting import wait_until
from support.webhook import FLAGS, answers


class OverridesTest(ClusterCase):
    LOADS = {("shop", "web"): 50, ("shop", "held"): 50, ("outlived", "web"): 50}
    VALUES = ('webhook.url="https://127.0.0.1:1"',)

    def run_(self, command, *words):
        done = ballast(command, *words, "--kubeconfig", self.cluster.dir / "kubeconfig")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def phase(self, space, name):
        found = self.api.get(path(POLICY, "autoscaleoverrides", space.name, name)) or {}
        return found.get("status", {}).get("phase")

    def wait_for_phase(self, space, name, phase):
        wait_until(lambda: f"{name} to be {phase}: {self.phase(space, name)}",
                   lambda: self.phase(space, name) == phase)

    def serve(self):
        """Starts an operator whose webhook the API server calls."""
        operator = self.operator("--webhook-address", "127.0.0.1:0", *FLAGS).wait_ready()
        address = operator.wait_for("the webhook listens")["address"]
        self.cluster.install_chart(f'webhook.url="https://{address}"')
        wait_until("the API server to believe the webhook", lambda: answers(self.api))
        return operator

    def test_they_act_and_end(self):
        shop = self.cluster.namespace("shop")
        operator = self.serve()
        shop.apply(deployment("web"), policy("web"), deployment("held"), policy("held"))
        self.wait_for_condition(shop, "web", "Ready", status="True")

        said = self.run_("floor", "asp/web", "3", "-n", "shop", "--for", "1h", "--reason", "launch")
        name = said.split()[0]
        self.assertRegex(said, r"^web-floor-\w+ in shop: floor of 3 for asp/web until .*Z, by \S+: launch\n")
        self.assertNotIn("by unknown", said)
        self.wait_for_replicas(shop, deployment("web"), 3)
        self.wait_for_phase(shop, name, "Active")
        self.assertIn(name, self.run_("overrides", "-n", "shop"))

        pin = self.run_("pin", "asp/web", "5", "-n", "shop", "--for", "1h", "--reason", "test", "-o", "name")
        pin = pin.strip().split("/")[1]
        self.wait_for_replicas(shop, deployment("web"), 5)
        made = int(time.time())
        wait_until("another second: of two that were made in one, either counts", lambda: time.time() > made + 1)
        newer = self.run_("pin", "asp/web", "4", "-n", "shop", "--for", "30m", "--reason", "test", "-o", "name")
        newer = newer.strip().split("/")[1]
        self.wait_for_phase(shop, newer, "Active")
        self.wait_for_phase(shop, pin, "Superseded")
        self.run_("override", "end", newer, "-n", "shop")
        self.wait_for_phase(shop, pin, "Active")
        self.wait_for_replicas(shop, deployment("web"), 5)
        self.run_("override", "end", pin, "-n", "shop")
        self.run_("override", "end", name, "-n", "shop")
        self.wait_for_replicas(shop, deployment("web"), 1)
        self.assertEqual(json.loads(self.run_("overrides", "-n", "shop", "-o", "json"))["items"], [])

        self.run_("hold", "asp/held", "-n", "shop", "--for", "1h", "--reason", "freeze")
        self.wait_for_condition(shop, "held", "Held", status="True", reason="Paused", message="freeze")
        self.load.set("held", 150)
        self.wait_for_condition(shop, "held", "Held", message="paused scaling until")
        self.assertEqual(shop.replicas(deployment("held")), 1)
        self.assertEqual(operator.stop(), 0)
        self.assertEqual(replay(self.store()), "")

    def test_what_is_wrong_is_refused_and_nobody_lies_about_the_owner(self):
        refused = self.cluster.namespace("refused")
        self.serve()
        refused.apply(override("web", floor=3, owner="somebody else"))
        made = refused.get(override("web"))
        self.assertNotEqual(made["spec"]["owner"], "somebody else")
        for wrong, complaint in ((override("long", minutes=8 * 24 * 60, floor=3), "at most 7 days"),
                                 (override("over", minutes=-1, floor=3), "must be later than"),
                                 (override("two", floor=3, pin=3), "exactly one of"),
                                 (override("web", floor=4), "is immutable")):
            with self.subTest(complaint), self.assertRaisesRegex(ApiError, complaint):
                refused.apply(wrong)

    def test_they_outlive_the_operator_and_its_volume(self):
        self.cluster.install_chart("webhook.enabled=false")
        outlived = self.cluster.namespace("outlived")
        outlived.apply(deployment("web"), policy("web"))
        killed = self.operator().wait_ready()
        killed.kill()
        killed.wait()
        outlived.apply(override("web", floor=3))
        operator = self.operator(store=self.store("another.db")).wait_ready()
        self.wait_for_replicas(outlived, deployment("web"), 3)
        self.wait_for_phase(outlived, "web-override", "Active")
        said = self.wait_for_condition(outlived, "web", "Ready", status="True")
        self.assertTrue(said)
        events = [event["note"] for event in outlived.events("web")]
        self.assertTrue(any('override "web-override" of unknown' in note for note in events), events)
        operator.stop()


if __name__ == "__main__":
    unittest.main()
