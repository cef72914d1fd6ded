#!/usr/bin/env python3
"""Tests overrides on a cluster: that they act at once and end, whose they are, and that they outlive operators."""

import json
import time
import unittest

from support.api import MERGE, ApiError, path
from support.case import ClusterCase
from support.cluster import RELEASE
from support.ledger import replay
from support.long_form import only_long
from support.objects import (POLICY, condition, deployment, hpa, is_managed, namespaced, override, policy,
                             scale_down)
from support.process import ballast
from support.rights import RBAC
from support.waiting import CLAIM, wait_until
from support.webhook import FLAGS, answers


class OverridesTest(ClusterCase):
    LOADS = {(space, "web"): 50 for space in ("shop", "outlived", "oncall", "tier", "hpas", "early")} | {
        ("shop", "held"): 50, ("tier", "api"): 50}
    VALUES = ('webhook.url="https://127.0.0.1:1"',)

    def ballast(self, command, *words, kubeconfig=None):
        return ballast(command, *words, "--kubeconfig", kubeconfig or self.cluster.dir / "kubeconfig")

    def run_(self, command, *words):
        done = self.ballast(command, *words)
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
        self.cluster.kubectl("delete", "autoscaleoverride", pin, "-n", "shop")
        self.run_("override", "end", name, "-n", "shop")
        self.wait_for_replicas(shop, deployment("web"), 1)
        listed = lambda *words: {one["name"]: one for one in json.loads(self.run_(
            "overrides", "-n", "shop", "-o", "json", *words))["items"]}
        self.assertEqual(listed(), {})
        self.wait_for_phase(shop, name, "Expired")
        self.wait_for_phase(shop, newer, "Expired")
        ended = listed("--ended")
        self.assertEqual(set(ended), {name, newer})
        self.assertIn("ended early, at ", ended[name]["status"]["message"])
        end = lambda when: self.api.request(
            "PATCH", path(POLICY, "autoscaleoverrides", "shop", name), {"ended": when}, MERGE)
        for again in "2026-03-04T12:00:00Z", "2026-03-04t12:00:00z", "now":
            with self.subTest(again):
                end(again)
        with self.assertRaisesRegex(ApiError, "has ended stays so"):
            end(None)
        self.assertEqual(listed("--ended")[name]["status"]["ended"], ended[name]["status"]["ended"])

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
        for wrong, complaint in ((override("long", minutes=8 * 24 * 60, floor=3), "at most 168h"),
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
        outlived.apply(override("web", floor=3, owner="somebody else"))
        operator = self.operator(store=self.store("another.db")).wait_ready()
        self.wait_for_replicas(outlived, deployment("web"), 3)
        self.wait_for_phase(outlived, "web-override", "Active")
        said = self.wait_for_condition(outlived, "web", "Ready", status="True")
        self.assertTrue(said)
        told = lambda: [event["note"] for event in outlived.events("web")]
        wait_until(lambda: f"the event: {told()}",
                   lambda: any('override "web-override" of unknown' in note for note in told()))
        for shown in self.run_("overrides", "-n", "outlived"), self.cluster.kubectl("get", "aso", "-n", "outlived"):
            self.assertIn("unknown", shown)
            self.assertNotIn("somebody else", shown)
        listed, = json.loads(self.run_("overrides", "-n", "outlived", "-o", "json"))["items"]
        self.assertEqual((listed["status"]["owner"], listed["spec"]["owner"]), ("unknown", "somebody else"))
        operator.stop()


    def test_whoever_is_on_call_needs_rights_to_overrides_alone(self):
        oncall = self.cluster.namespace("oncall")
        self.serve()
        oncall.apply(deployment("web"), policy("web"),
                     namespaced("v1", "ServiceAccount", "alice"), namespaced("v1", "ServiceAccount", "bob"),
                     namespaced(RBAC, "RoleBinding", "on-call", roleRef={
                         "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                         "name": f"{self.cluster.release}-edit-overrides"},
                         subjects=[{"kind": "ServiceAccount", "name": "alice", "namespace": "oncall"}]))
        alice, bob = (self.cluster.operator_kubeconfig(token=self.cluster.kubectl(
            "create", "token", name, "-n", "oncall").strip()) for name in ("alice", "bob"))
        pause = lambda who: self.ballast("pause", "asp/web", "-n", "oncall", "--reason", "incident", kubeconfig=who)
        wait_until(lambda: f"the rights to count: {pause(alice).stderr}", lambda: pause(alice).returncode == 0)
        held = self.wait_for_condition(oncall, "web", "Held", status="True", reason="Paused", message="incident")
        self.assertIn("of system:serviceaccount:oncall:alice paused scaling until ", held["message"])
        for refused in (pause(bob), self.ballast("resume", "asp/web", "-n", "oncall", kubeconfig=bob)):
            self.assertEqual(refused.returncode, 1)
            self.assertIn("autoscaleoverrides", refused.stderr)
            self.assertIn("ballast-edit-overrides", refused.stderr)
        self.assertNotIn("annotations", oncall.policy("web")["metadata"])
        resumed = self.ballast("resume", "asp/web", "-n", "oncall", kubeconfig=alice)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertRegex(resumed.stdout, r"^asp/web in oncall scales again: ended\n  web-hold-\w+, hold for asp/web")
        self.assertIn("Warning: asp/web cannot be read", resumed.stderr)
        self.wait_for_condition(oncall, "web", "Held", status="False")

    def test_those_by_labels_follow_the_labels(self):
        tier = self.cluster.namespace("tier")
        self.serve()
        labelled = lambda name, **labels: policy(name) | {
            "metadata": {"name": name, "labels": labels}}
        tier.apply(deployment("web"), labelled("web", tier="front"), deployment("api"), labelled("api"))
        self.wait_for_condition(tier, "web", "Ready", status="True")
        self.wait_for_condition(tier, "api", "Ready", status="True")
        made = self.run_("floor", "asp", "3", "-l", "tier=front", "-n", "tier", "--for", "1h", "--reason", "launch")
        self.assertIn(": floor of 3 for each asp with tier in (front) until ", made)
        name = made.split()[0]
        self.wait_for_replicas(tier, deployment("web"), 3)
        matched = lambda: self.api.get(path(POLICY, "autoscaleoverrides", "tier", name))["status"].get("matched")
        wait_until("the count of those that it matches", lambda: matched() == 1)
        self.assertEqual(tier.replicas(deployment("api")), 1)
        tier.apply(labelled("api", tier="front"))
        self.wait_for_replicas(tier, deployment("api"), 3)
        wait_until("both to be matched", lambda: matched() == 2)
        self.assertIn("Active on 2", self.run_("overrides", "-n", "tier"))
        tier.apply(labelled("web", tier="back"))
        self.wait_for_replicas(tier, deployment("web"), 1)
        everything = override("all", floor=3)
        everything["spec"]["selector"] = {"kind": everything["spec"].pop("target")["kind"]}
        with self.assertRaisesRegex(ApiError, "must name labels"):
            tier.apply(everything)

    @only_long  # a claim takes a minute
    def test_of_a_managed_hpa(self):
        self.cluster.install_chart("webhook.enabled=false", 'operator.hpaTakeoverNamespaces=["*"]')
        hpas = self.cluster.namespace("hpas")
        operator = self.operator("--hpa-mode", "manage", "--hpa-takeover-namespace", "hpas",
                                 "--horizontal-pod-autoscaler-sync-period", "1s").wait_ready()
        web = hpa("web", deployment("web"), max_replicas=5, behavior=scale_down(0))
        hpas.apply(deployment("web"), web)
        wait_until("the HPA to be managed", lambda: is_managed(hpas.get(web)), timeout=CLAIM)
        at = lambda count: wait_until(lambda: f"{count} replicas: {hpas.get(web)}",
                                      lambda: hpas.replicas(deployment("web")) == count)
        self.run_("floor", "hpa/web", "3", "-n", "hpas", "--for", "1h", "--reason", "launch")
        at(3)
        self.run_("pin", "hpa/web", "9", "-n", "hpas", "--for", "1h", "--reason", "within its bounds")
        at(5)
        self.run_("pause", "hpa/web", "-n", "hpas", "--reason", "incident")
        held = lambda: condition(hpas.get(web), "Held")
        wait_until(lambda: f"the pause: {held()}", lambda: held()["status"] == "True")
        for one in json.loads(self.run_("overrides", "-n", "hpas", "-o", "json"))["items"]:
            if "hold" not in one["spec"]:
                self.run_("override", "end", one["name"], "-n", "hpas")
        self.assertEqual(hpas.replicas(deployment("web")), 5)
        self.assertIn("hpa/web in hpas scales again", self.run_("resume", "hpa/web", "-n", "hpas"))
        at(1)
        self.assertEqual(operator.stop(), 0)
        self.assertEqual(replay(self.store()), "")

    def test_an_operator_without_the_rights_does_not_begin(self):
        self.cluster.install_chart("webhook.enabled=false")
        early = self.cluster.namespace("early")
        # Without the hold the policy would move it to two replicas.
        early.apply(deployment("web"), policy("web", min_replicas=2), override("web", hold="All"))
        role = path(RBAC, "clusterroles", None, RELEASE)
        rules = self.api.get(role)["rules"]
        set_rules = lambda new: self.cluster.kubectl("patch", "clusterrole", RELEASE, "--type", "json", "-p", json.dumps(
            [{"op": "replace", "path": "/rules", "value": new}]))
        set_rules([rule for rule in rules if "autoscaleoverrides" not in rule["resources"]])
        operator = self.operator()
        operator.wait_for("cannot list", resource="autoscaleoverrides", error="forbidden")
        self.assertFalse(operator.lines("ready"))
        self.assertEqual(early.replicas(deployment("web")), 1)
        set_rules(rules)
        operator.wait_ready()
        self.wait_for_condition(early, "web", "Held", status="True", reason="Paused")
        self.assertEqual(early.replicas(deployment("web")), 1)
        operator.stop()


if __name__ == "__main__":
    unittest.main()
