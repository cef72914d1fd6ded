#!/usr/bin/env python3
"""Tests that the operator is the controller of HPAs in mode manage, and never beside another one."""

import itertools
import json
import re
import unittest

from support import upstream
from support.case import ClusterCase
from support.hpa_memory import hpa_memories
from support.ledger import history, replay
from support.objects import condition, deployment, hpa, is_managed, namespaced, scale_down
from support.process import ballast
from support.waiting import CLAIM, wait_until

PERIOD = 1  # of both controllers, in seconds
UP = "New size: 3; reason: cpu resource utilization (percentage of request) above target"
MANAGE = {"ballast.dev/hpa-mode": "manage"}
MANAGED = "ballast.dev/Managed"


class ManageTest(ClusterCase):
    VALUES = ('operator.hpaTakeoverNamespaces=["*"]',)
    LOADS = {("manage", "web"): 50, ("manage", "owned"): 50, ("hand", "hand"): 50,
             ("elsewhere", "else"): 50, ("words", "words"): 50}
    FLAGS = ("--horizontal-pod-autoscaler-sync-period", f"{PERIOD}s",
             "--hpa-takeover-namespace", "manage", "--hpa-takeover-namespace", "hand")

    def place(self, namespace, app, **metadata):
        """An HPA that keeps one replica, until the load changes."""
        namespace.apply(deployment(app))
        object_ = hpa(app, deployment(app), max_replicas=5, behavior=scale_down(0))
        object_["metadata"] |= metadata
        namespace.apply(object_)

    def hpa(self, namespace, app):
        return namespace.get(hpa(app, deployment(app)))

    def managed(self, namespace, app):
        return condition(self.hpa(namespace, app), MANAGED)

    def wait_for_hold(self, namespace, app):
        """Waits until Ballast is the HPA's controller."""
        wait_until(lambda: f"{namespace.name}/{app} to be managed: {self.hpa(namespace, app)}",
                   lambda: is_managed(self.hpa(namespace, app)), timeout=CLAIM)

    def wait_for_count(self, namespace, app, count):
        wait_until(lambda: f"{app} at {count}: {self.hpa(namespace, app)}",
                   lambda: namespace.replicas(deployment(app)) == count)

    def wait_for_event(self, namespace, app, reason):
        """Waits for an event with that reason, as `kubectl describe` prints it, and returns it."""
        describe = lambda: self.cluster.kubectl("describe", "hpa", app, "-n", namespace.name)
        return wait_until(lambda: f"{reason} in {describe()}", lambda: next(
            (line for line in describe().splitlines() if reason in line), None))

    def test_in_place_of_the_cluster_s_controller(self):
        manage, elsewhere = self.cluster.namespace("manage"), self.cluster.namespace("elsewhere")
        flags = (*self.FLAGS, "--hpa-mode", "manage")
        operator = self.operator(*flags)
        operator.wait_ready()
        self.place(manage, "web")
        self.place(elsewhere, "else")
        owner = namespaced("v1", "ConfigMap", "scaled")
        manage.apply(owner)
        self.place(manage, "owned", ownerReferences=[{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "scaled",
            "uid": manage.get(owner)["metadata"]["uid"]}])
        self.wait_for_hold(manage, "web")
        self.assertEqual(self.managed(manage, "owned")["reason"], "HasOwner")
        self.assertIn("ConfigMap scaled", self.managed(manage, "owned")["message"])

        self.load.set("web", 150)
        self.wait_for_count(manage, "web", 3)
        wait_until("its status", lambda: self.hpa(manage, "web")["status"]["desiredReplicas"] == 3)
        status = self.hpa(manage, "web")["status"]
        self.assertIn("lastScaleTime", status)
        self.assertNotIn("memory", status)
        # Where the cluster can scale HPAs to zero, as it does since 1.37, there is one more.
        self.assertEqual({c["type"] for c in status["conditions"]} - {"ScaledToZero"},
                         {"AbleToScale", "ScalingActive", "ScalingLimited"})
        event = self.wait_for_event(manage, "web", "SuccessfulRescale")
        self.assertIn("horizontal-pod-autoscaler", event)
        self.assertIn(UP, event)
        # Or else it would be taken for another controller's.
        own, = [e for e in self.api.list("/api/v1/namespaces/manage/events")
                if e["reason"] == "SuccessfulRescale"]
        self.assertEqual(own["metadata"]["managedFields"][0]["manager"], "ballast")
        self.assertRegex(self.cluster.kubectl("get", "hpa", "web", "--namespace", "manage"),
                         r"web +Deployment/web +(cpu: )?\d+%/50% +1 +5 +[123] ")
        v1 = self.api.get("/apis/autoscaling/v1/namespaces/manage/horizontalpodautoscalers/web")
        self.assertEqual(v1["status"]["desiredReplicas"], 3)
        # An outcome is on disk a moment after the write of the scale.
        written = lambda: [(r.from_, r.to) for r in history(self.store(), "manage", "web").written()]
        wait_until(lambda: f"the scale-up in the ledger: {written()}", lambda: (1, 3) in written())

        # Another replica, whose volume is empty, continues at once.
        memory = json.loads(self.memories()["web"])
        self.assertEqual(memory["uid"], self.hpa(manage, "web")["metadata"]["uid"])
        self.assertEqual([event["change"] for event in memory["scaleUps"]], [2])
        operator.stop()
        other = self.operator(*flags, store=self.store("other.db"))
        other.wait_for("an HPA that Ballast managed is managed on")
        self.load.set("web", 250)
        self.wait_for_count(manage, "web", 5)

        # A pause holds for HPAs too.
        done = ballast("pause", "hpa/web", "-n", "manage", "--for", "2h", "--reason", "a sale",
                       "--kubeconfig", self.cluster.dir / "kubeconfig")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("hpa/web in manage: ", done.stdout)
        held = lambda: condition(self.hpa(manage, "web"), "Held")
        wait_until("the pause", lambda: held()["reason"] == "Paused")
        self.assertRegex(held()["message"], r"^override \"web-hold-\w+\" of .* paused scaling until \S+: a sale$")
        self.load.set("web", 50)
        why = lambda: ballast("why", "manage/web", "--store", self.store("other.db"),
                              "--kind", "hpa").stdout
        wait_until(lambda: f"the load to fall: {why()}", lambda: "Resource/cpu at 10%" in why())
        self.assertEqual(manage.replicas(deployment("web")), 5)

        # Where it may not, it says so in an event, and observes.
        self.assertIn("--hpa-takeover-namespace elsewhere",
                      self.wait_for_event(elsewhere, "else", "NamespaceNotAllowed"))
        self.assertNotIn("observedGeneration", self.hpa(elsewhere, "else").get("status", {}))
        self.assertEqual(self.cluster.scale_writes("elsewhere"), [])

        # Leaving: replicas and HPA stay as they are, and an event says who scales now.
        self.api.merge(manage.path(hpa("web", deployment("web"))),
                       {"metadata": {"annotations": {"ballast.dev/hpa-mode": "observe"}}})
        wait_until("the claim to be gone",
                   lambda: "observedGeneration" not in self.hpa(manage, "web")["status"])
        self.assertEqual(manage.replicas(deployment("web")), 5)
        self.assertIn("mode observe", self.wait_for_event(manage, "web", "Released"))
        self.assertEqual(self.memories(), {})
        self.assertEqual(replay(self.store()), "")

    def test_what_kubectl_autoscale_makes(self):
        words = self.cluster.namespace("words")
        self.operator(*self.FLAGS, "--hpa-takeover-namespace", "words", "--hpa-mode",
                      "manage").wait_ready()
        words.apply(deployment("words"))
        # Both old and new versions of kubectl know --cpu-percent.
        self.cluster.kubectl("autoscale", "deployment", "words", "--cpu-percent=50", "--min=1",
                             "--max=5", "--namespace", "words")
        self.wait_for_hold(words, "words")
        self.load.set("words", 150)
        self.wait_for_count(words, "words", 3)
        wait_until("its row in kubectl", lambda: re.search(
            r"words +Deployment/words +(cpu: )?\d+%/50% +1 +5 +3 ",
            self.cluster.kubectl("get", "hpa", "--namespace", "words")))
        self.assertIn(UP, self.wait_for_event(words, "words", "SuccessfulRescale"))

    def test_hand_over_in_both_directions(self):
        hand = self.cluster.namespace("hand")
        token = upstream.allow(self.cluster)
        peer = self.peer(token)
        self.operator(*self.FLAGS).wait_ready()
        self.place(hand, "hand", annotations=MANAGE)
        wait_until("the other controller to be found", lambda: self.managed(hand, "hand")["status"])
        self.assertEqual(self.managed(hand, "hand")["reason"], "AnotherController")
        self.assertIn("kube-controller-manager writes the status", self.managed(hand, "hand")["message"])
        self.load.set("hand", 150)
        self.wait_for_count(hand, "hand", 3)
        self.assertEqual(self.cluster.scale_writes("hand"), [])

        peer.close()
        self.load.set("hand", 250)
        self.wait_for_hold(hand, "hand")
        self.wait_for_count(hand, "hand", 5)
        self.wait_for_writes("hand", (3, 5))
        self.assertEqual(self.managed(hand, "hand")["status"], "")

        self.peer(token)
        # Since 1.37 it writes no status that says the same as Ballast's: the load keeps changing.
        loads = itertools.cycle((230, 240))

        def found():
            self.load.set("hand", next(loads))
            return self.managed(hand, "hand")["status"]

        wait_until("the other controller to be found", found)
        self.load.set("hand", 100)
        self.wait_for_count(hand, "hand", 2)
        self.assertEqual(len(self.cluster.scale_writes("hand")), 1)
        wait_until("the record of it", lambda: "another controller decided" in ballast(
            "why", "hand/hand", "--store", self.store(), "--kind", "hpa").stdout)
        told = ballast("history", "hand/hand", "--store", self.store()).stdout
        self.assertIn("controller kube-controller-manager -> ballast by ballast", told)
        self.assertIn("controller ballast -> kube-controller-manager by kube-controller-manager",
                      told)

    def memories(self):
        return hpa_memories(self.api, "manage")

    def peer(self, token):
        peer = upstream.HpaController(self.cluster, self.cluster.operator_kubeconfig(token=token),
                                      PERIOD)
        self.addCleanup(peer.close)
        return peer


if __name__ == "__main__":
    unittest.main()
