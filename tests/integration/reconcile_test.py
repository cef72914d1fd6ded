#!/usr/bin/env python3
"""Tests that policies scale every kind of target, and obey their mode, period and spec."""

import json
import re
import time
import unittest
from datetime import datetime, timedelta, timezone

from support.api import path
from support.ledger import history, seconds
from support.long_form import only_long
from support.objects import condition, deployment, hpa, namespaced, policy, workload
from support.process import ballast
from support.sharing_case import SharingCase
from support.waiting import wait_until

KINDS = ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"]
# Custom resources with their scale in unusual fields. Of gadgets the operator may read and write
# only the scale, so it cannot watch them and has to ask for each.
CUSTOM = {"Widget": "widgets", "Gadget": "gadgets"}


class ReconcileTest(SharingCase):
    VALUES = ['customTargets=[{"group":"example.com","resources":["widgets"]}]']
    LOADS = {
        **{("kinds", kind.lower()): 50 for kind in KINDS},
        **{("custom", kind.lower()): 50 for kind in CUSTOM},
        **{("modes", app): 150 for app in ("dry-run", "disabled", "paused")},
        ("periods", "quick"): 50, ("periods", "edited"): 50,
        ("outside", "web"): 50,
        ("news", "news"): 50,
        ("tug", "tug"): 150,
        ("away", "edited-meanwhile"): 50,
        ("modes", "beside"): 40,
    }
    DENIED = {("get", "apiextensions.k8s.io", "customresourcedefinitions", "gadgets.example.com"):
              "so gadgets are not watched"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.define(CUSTOM)
        name = f"{cls.cluster.release}-gadgets"
        subject = {"kind": "ServiceAccount", "name": cls.cluster.release,
                   "namespace": cls.cluster.release_namespace}
        rbac = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": name}}
        cls.api.apply(rbac | {"kind": "ClusterRole", "rules": [
            {"apiGroups": ["example.com"], "resources": ["gadgets/scale"],
             "verbs": ["get", "patch"]}]})
        cls.api.apply(rbac | {"kind": "ClusterRoleBinding", "subjects": [subject], "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}})

    def test_scales_every_built_in_kind_out_and_in(self):
        kinds = self.cluster.namespace("kinds")
        targets = [workload(kind, kind.lower()) for kind in KINDS]
        for target in targets:
            kinds.apply(target, policy(target["metadata"]["name"], target))
        self.operator().wait_ready()
        for milli, count in ((190, 4), (40, 1)):
            for target in targets:
                self.load.set(target["metadata"]["name"], milli)
            for target in targets:
                with self.subTest(target["kind"], count=count):
                    self.wait_for_replicas(kinds, target, count)
        # The ledger has the writes that the API server saw, in the same order.
        for target in targets:
            name = target["metadata"]["name"]
            writes = lambda: [(w.from_, w.to) for w in self.cluster.scale_writes("kinds")
                              if w.target == name]
            recorded = lambda: [(r.from_, r.to) for r in
                                history(self.store(), "kinds", name).written()]
            # Both reach their files a little after the write.
            wait_until(lambda: f"{name}: {writes()} in the ledger, which has {recorded()}",
                       lambda: recorded() == writes() != [])
        self.ask_while_it_runs()

    def ask_while_it_runs(self):
        """Runs the commands that read the ledger while the operator writes it."""
        why = ballast("why", "kinds/deployment", "--store", self.store(), "-o", "json")
        self.assertEqual(why.returncode, 0, why)
        answer = json.loads(why.stdout)
        self.assertRegex(answer["answer"],
                         "^kinds/deployment (was scaled from 4 to 1 replica|stayed at 1 replica): ")
        self.assertEqual(answer["inputs"]["metrics"][0]["proposal"], 1)
        self.assertGreaterEqual(answer["inputs"]["metrics"][0]["ageSeconds"], 0)
        replay = ballast("replay", "--store", self.store())
        self.assertEqual(replay.returncode, 0, replay)
        self.assertIn("all came out as recorded", replay.stdout)
        copy = self.store().parent / "copy.db"
        self.assertEqual(ballast("backup", copy, "--store", self.store()).returncode, 0)
        self.assertEqual([(r.from_, r.to) for r in history(copy, "kinds", "deployment").written()],
                         [(r.from_, r.to)
                          for r in history(self.store(), "kinds", "deployment").written()])

    def test_scales_custom_resources(self):
        custom = self.cluster.namespace("custom")
        targets = []
        for kind in CUSTOM:
            name = kind.lower()
            # Its pods belong to a Deployment, which the test scales as the kind's controller would.
            target = namespaced("example.com/v1", kind, name, spec={"fleet": {"size": 1}})
            custom.apply(deployment(name), target, policy(name, target))
            self.seen(custom, target, 1)
            targets.append(target)
        operator = self.operator().wait_ready()
        for milli, count in ((140, 3), (40, 1)):
            for target in targets:
                with self.subTest(target["kind"], count=count):
                    self.load.set(target["metadata"]["name"], milli)
                    self.wait_for_replicas(custom, target, count)
                    custom.set_scale(deployment(target["metadata"]["name"]), count)
                    self.seen(custom, target, count)
        unwatched = [line["kind"] for line in operator.lines(
            "a kind of scale target cannot be watched; its scales are read one by one")]
        self.assertEqual(unwatched, ["Gadget"])

    def seen(self, namespace, target, count):
        self.api.merge(namespace.path(target, "status"), {"status": {
            "seen": count, "chosen": f"app={target['metadata']['name']}"}})

    def test_dry_run_tells_and_writes_nothing(self):
        modes = self.cluster.namespace("modes")
        # It can be compared with an HPA that scales the same target.
        modes.apply(deployment("dry-run"), hpa("dry-run", deployment("dry-run")),
                    policy("dry-run", mode="DryRun"))
        self.operator().wait_ready()
        held = self.wait_for_condition(modes, "dry-run", "Held", reason="DryRun",
                                       message="from 1 to 3")
        self.assertEqual(held["status"], "True")
        self.assertEqual(modes.policy("dry-run")["status"]["desiredReplicas"], 3)
        wait_until("the record", lambda: [r for r in history(self.store(), "modes", "dry-run")
                                          if r.outcome == "dry-run" and (r.from_, r.to) == (1, 3)])
        self.assertEqual(modes.replicas(deployment("dry-run")), 1)
        self.api.delete(modes.path(hpa("dry-run", deployment("dry-run"))))
        modes.edit_policy("dry-run", mode="Active")
        self.wait_for_replicas(modes, deployment("dry-run"), 3)
        self.wait_for_condition(modes, "dry-run", "Held", status="False")
        # The only write is the one after the policy became active.
        self.wait_for_writes("modes", (1, 3), target="dry-run")

    def test_a_pause_holds_and_ends_by_itself(self):
        modes = self.cluster.namespace("modes")
        web = deployment("paused")
        # It is not evaluated a second time but for the end of the pause.
        paused = policy("paused", period=3600)
        modes.apply(web)
        self.wait_until_measured(modes, "paused")
        self.operator().wait_ready()
        paused["metadata"]["annotations"] = {
            "ballast.dev/paused-until": "2099-01-01T00:00:00Z",
            "ballast.dev/paused-by": "alice", "ballast.dev/paused-reason": "black friday"}
        modes.apply(paused)
        held = self.wait_for_condition(modes, "paused", "Held", reason="Paused",
                                       message="alice paused scaling until ")
        self.assertIn("black friday", held["message"])
        self.assertEqual(modes.replicas(web), 1)
        until = datetime.now(timezone.utc) + timedelta(seconds=3)
        paused["metadata"]["annotations"]["ballast.dev/paused-until"] = until.isoformat(timespec="milliseconds")
        modes.apply(paused)
        self.wait_for_replicas(modes, web, 3)
        write, = self.wait_for_writes("modes", (1, 3), target="paused")
        self.assertGreaterEqual(seconds(write.at), until.timestamp())

    def test_disabled_decides_nothing_and_comes_back_without_a_jump(self):
        window = 5
        modes = self.cluster.namespace("modes")
        web = deployment("disabled", replicas=3)
        modes.apply(web, policy("disabled", mode="Disabled", window=window),
                    deployment("beside"), policy("beside"))
        self.operator().wait_ready()
        held = self.wait_for_condition(modes, "disabled", "Held", reason="Disabled")
        self.assertIn("Active", held["message"])  # the remedy
        self.load.set("disabled", 40)  # one replica would do
        self.load.set("beside", 150)  # ... and here no longer
        self.wait_for_replicas(modes, deployment("beside"), 3)
        self.assertEqual(condition(modes.policy("disabled"), "Held")["status"], "True")
        self.assertEqual(modes.replicas(web), 3)
        active = time.time()
        modes.edit_policy("disabled", mode="Active")
        self.wait_for_replicas(modes, web, 1)
        write, = self.wait_for_writes("modes", (3, 1), target="disabled")
        self.assertGreaterEqual(seconds(write.at), active + window)

    def test_evaluates_again_and_again_and_acts_upon_an_edit_at_once(self):
        periods = self.cluster.namespace("periods")
        for name, period in (("quick", 1), ("edited", 3600)):
            periods.apply(deployment(name), policy(name, period=period))
            self.wait_until_measured(periods, name)  # a pod that becomes ready is news, too
        operator = self.operator().wait_ready()
        self.wait_for_condition(periods, "edited", "Ready", status="True")
        for count in (2, 3, 4):  # none waits for its period to end
            periods.edit_policy("edited", minReplicas=count)
            self.wait_for_replicas(periods, deployment("edited"), count)
        for total, count in ((100, 2), (150, 3), (250, 5)):  # of which no event tells
            self.load.set("quick", total)
            self.wait_for_replicas(periods, deployment("quick"), count)
        self.assertEqual(operator.stop(), 0)

    def test_a_pod_that_becomes_ready_does_not_wait_for_the_period(self):
        news, app = self.cluster.namespace("news"), deployment("news")
        news.apply(app, policy("news", period=3600))
        self.wait_until_measured(news, "news")
        self.operator("--namespace", "news").wait_ready()
        self.wait_for_condition(news, "news", "Ready", status="True")
        news.set_scale(app, 2)
        wait_until("an evaluation of two replicas", lambda: [
            record for record in history(self.store(), "news", "news") if record.from_ == 2])

    def test_sees_an_edit_that_was_made_while_it_did_not_run(self):
        away, name = self.cluster.namespace("away"), "edited-meanwhile"
        away.apply(deployment(name), policy(name, period=3600))
        self.wait_until_measured(away, name)
        operator = self.operator("--namespace", "away").wait_ready()
        self.wait_for_condition(away, name, "Ready", status="True")
        operator.stop()
        away.edit_policy(name, minReplicas=3)
        self.operator("--namespace", "away").wait_ready()
        self.wait_for_replicas(away, deployment(name), 3)
        wait_until("the edit, in the history", lambda: re.search(
            r"edited +spec\.minReplicas 1 -> 3 by",
            ballast("history", f"away/{name}", "--store", self.store()).stdout))

    @only_long
    def test_says_who_undoes_its_work(self):
        space = self.cluster.namespace("tug")
        tug = deployment("tug")
        space.apply(tug, policy("tug"))
        self.operator().wait_ready()
        for _ in range(3):
            self.wait_for_replicas(space, tug, 3)
            space.set_scale(tug, 1)
        found = self.wait_for_condition(space, "tug", "Conflicted", reason="TugOfWar")
        self.assertIn("keeps undoing what this autoscaler does", found["message"])
        self.wait_for_replicas(space, tug, 3)

    def test_takes_a_scale_from_outside_as_the_new_current_count(self):
        outside = self.cluster.namespace("outside")
        web = deployment("web")
        outside.apply(web, policy("web", window=3))
        self.operator().wait_ready()
        self.wait_for_condition(outside, "web", "Ready", status="True")
        self.cluster.kubectl("scale", "deployment/web", "--replicas=4", "--namespace", "outside")
        wait_until("an evaluation of the new count", lambda: any(
            record.from_ == 4 for record in history(self.store(), "outside", "web")))
        self.wait_for_replicas(outside, web, 1)
        first, *_ = self.wait_for_writes("outside")
        self.assertEqual(first.from_, 4)


if __name__ == "__main__":
    unittest.main()
