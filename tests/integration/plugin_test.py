#!/usr/bin/env python3
"""Tests the kubectl plugin: `kubectl ballast why`, `history`, `export` and `replay` ask Ballast's pods through the API
server and a kubelet (kwok's, which runs the program on this machine), with a caller's few rights."""

import json
import os
import subprocess
import tempfile
import unittest
from datetime import datetime, timedelta
from pathlib import Path

from support.case import ClusterCase
from support.cluster import RELEASE, RELEASE_NAMESPACE
from support.objects import deployment, namespaced, policy
from support.process import BALLAST
from support.waiting import wait_until

EXEC = """
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterExec
metadata: {name: local}
spec: {execs: [{local: {}}]}
"""
# As docs/commands.md has them.
RULES = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
         {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["create", "get"]}]


class PluginTest(ClusterCase):
    LOADS = {("shop", "web"): 150, ("follow", "web"): 150}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.programs = Path(folder.name)
        for name in "ballast", "kubectl-ballast", "kubectl_complete-ballast":
            (cls.programs / name).symlink_to(BALLAST)
        rules = cls.programs / "exec.yaml"
        rules.write_text(EXEC)
        # kwok finds `ballast` as an image's exec does: in $PATH.
        cls.addClassCleanup(os.environ.__setitem__, "PATH", os.environ["PATH"])
        os.environ["PATH"] = f"{cls.programs}:{os.environ['PATH']}"
        cls.OPTIONS = ("--kwok", "--flag", f"kwok=--config={rules}")
        super().setUpClass()

    def environment(self):
        """That of a user: kubectl and the plugin are in $PATH."""
        return self.cluster.environment | {
            "PATH": f"{self.cluster.dir / 'bin'}:{os.environ['PATH']}", "TZ": "UTC",
            "LC_ALL": "C.UTF-8", "COLUMNS": "80"}

    def kubectl(self, *words, kubeconfig=None, zone="UTC"):
        environment = self.environment() | {"TZ": zone}
        if kubeconfig:
            environment["KUBECONFIG"] = str(kubeconfig)
        return subprocess.run(["kubectl", *words], env=environment, capture_output=True, text=True)

    def stateful_set(self, namespace, replicas, store, node="node-0", account="default"):
        """A StatefulSet as the chart's; the pods that it has already stay as they are."""
        labels = {"app.kubernetes.io/name": "ballast", "app.kubernetes.io/instance": "asked"}
        place = {"nodeName": node} if node else {}
        self.api.apply({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "asked", "namespace": namespace},
            "spec": {"replicas": replicas, "serviceName": "asked", "podManagementPolicy": "Parallel",
                     "updateStrategy": {"type": "OnDelete"}, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {
                         **place, "serviceAccountName": account, "terminationGracePeriodSeconds": 0,
                         "containers": [{"name": "ballast", "image": "ballast",
                                         "args": ["operator", f"--store={store}"]}]}}}})

    def pods(self, replicas, store, node="node-0"):
        """That many pods of the operator's account, of which the new ones have that store, until the test ends."""
        if replicas == 1:
            self.addCleanup(self.cluster.kubectl, "delete", "statefulset", "asked", "-n", RELEASE_NAMESPACE,
                            "--cascade=foreground")
        self.stateful_set(RELEASE_NAMESPACE, replicas, store, node, RELEASE)

    def impostors(self, store):
        """What calls itself Ballast where anybody might: in a namespace of a tenant's, and beside the operator."""
        evil = self.cluster.namespace("evil")
        self.stateful_set(evil.name, 1, store)
        self.addCleanup(self.cluster.kubectl, "delete", "pod", "impostor-0", "-n", RELEASE_NAMESPACE)
        self.api.apply({
            "apiVersion": "v1", "kind": "Pod", "metadata": {
                "name": "impostor-0", "namespace": RELEASE_NAMESPACE, "labels": {"app.kubernetes.io/name": "ballast"}},
            "spec": {"nodeName": "node-0", "terminationGracePeriodSeconds": 0, "containers": [
                {"name": "ballast", "image": "ballast", "args": ["operator", f"--store={store}"]}]}})
        self.wait_running("impostor-0")
        self.wait_running("asked-0", namespace=evil.name)

    def wait_running(self, *names, namespace=RELEASE_NAMESPACE):
        wait_until(f"{names} to run", lambda: all(
            self.cluster.kubectl("get", "pod", name, "-n", namespace, "-o", "jsonpath={.status.phase}",
                                 "--ignore-not-found") == "Running" for name in names))

    def caller(self):
        """A kubeconfig with the documented rights, in the operator's namespace only."""
        rbac = "rbac.authorization.k8s.io"
        oncall = self.cluster.namespace("people")
        oncall.apply(namespaced("v1", "ServiceAccount", "oncall"))
        for object_ in (namespaced(f"{rbac}/v1", "Role", "ask", rules=RULES),
                        namespaced(f"{rbac}/v1", "RoleBinding", "ask",
                                   roleRef={"apiGroup": rbac, "kind": "Role", "name": "ask"},
                                   subjects=[{"kind": "ServiceAccount", "name": "oncall",
                                              "namespace": "people"}])):
            object_["metadata"]["namespace"] = RELEASE_NAMESPACE
            self.api.apply(object_)
        token = self.cluster.kubectl("create", "token", "oncall", "-n", "people").strip()
        return self.cluster.operator_kubeconfig(token=token)

    def test_the_name_in_help(self):
        self.assertIn("Usage: kubectl ballast why", self.kubectl("ballast", "why", "--help").stdout)

    def test_kubectl_completes_it(self):
        done = self.kubectl("__complete", "ballast", "history", "--ou")
        self.assertEqual((done.stdout.split("\t")[0], done.stdout.splitlines()[-1]),
                         ("--output", ":4"), done.stderr)
        # There is no ledger here: the names are the cluster's.
        self.cluster.namespace("names").apply(policy("web", target=deployment("web")))
        done = self.kubectl("__complete", "ballast", "why", "-n", "names", "")
        self.assertEqual(done.stdout.split("\t")[0], "asp/web", done.stderr)

    def test_two_leaders_in_turn_and_a_pod_that_is_not_reached(self):
        shop = self.cluster.namespace("shop")
        target = deployment("web")
        shop.apply(target, policy("web"))
        first, second = self.store("first.db"), self.store("second.db")
        operator = self.operator(store=first).wait_ready()
        self.wait_for_replicas(shop, target, 3)
        self.assertEqual(operator.stop(), 0)
        shop.edit_policy("web", maxReplicas=2)
        operator = self.operator(store=second).wait_ready()
        self.wait_for_replicas(shop, target, 2)
        self.assertEqual(operator.stop(), 0)
        self.pods(1, first)
        self.wait_running("asked-0")
        self.pods(2, second)
        self.wait_running("asked-1")
        self.impostors(second)

        done = self.kubectl("ballast", "history", "web", "-n", "shop", "-o", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = json.loads(done.stdout)
        self.assertEqual({line["pod"] for line in lines if "id" in line},
                         {f"{RELEASE_NAMESPACE}/asked-0", f"{RELEASE_NAMESPACE}/asked-1"})
        counts = [(line["pod"].split("/")[1], line["currentReplicas"], line["desiredReplicas"])
                  for line in lines if line.get("outcome") == "written"]
        self.assertEqual((counts[0][0], counts[0][1], counts[-1]),
                         ("asked-0", 1, ("asked-1", 3, 2)))
        decisions = [line for line in lines if "id" in line]
        self.assertEqual([line["time"] for line in decisions],
                         sorted(line["time"] for line in decisions))
        table = self.kubectl("ballast", "history", "web", "-n", "shop").stdout.splitlines()
        self.assertRegex(table[0], r"^TIME \(UTC\) +POD +REPLICAS")
        self.assertTrue(any(f"{RELEASE_NAMESPACE}/asked-1" in row and "3 -> 2" in row
                            for row in table), table)

        # Each moment is told by the pod that led then, in the zone of whoever asks.
        for line, pod in ((decisions[0], "asked-0"), (decisions[-1], "asked-1")):
            words = ("ballast", "why", "web", "-n", "shop", "--at", line["time"])
            done = self.kubectl(*words, zone="Etc/GMT-5")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith(
                f"From the ledger of {RELEASE_NAMESPACE}/{pod}:\nshop/web "), done.stdout)
            there = datetime.fromisoformat(line["time"]) + timedelta(hours=5)
            self.assertRegex(done.stdout, rf"\n  when +{there:%Y-%m-%d %H:%M:%S} \+05 ")
            told = json.loads(self.kubectl(*words, "-o", "json").stdout)
            self.assertEqual((told["decided"]["id"], told["pod"]), (line["id"], line["pod"]))

        # The newest are those of all, and so are the newest that changed something.
        done = self.kubectl("ballast", "history", "web", "-n", "shop", "-o", "json", "--limit", "1")
        self.assertEqual([line["id"] for line in json.loads(done.stdout) if "id" in line], [decisions[-1]["id"]])
        done = self.kubectl("ballast", "history", "web", "-n", "shop", "-o", "json", "--changes-only")
        self.assertEqual([(line["pod"], line["id"]) for line in json.loads(done.stdout) if "id" in line],
                         [(line["pod"], line["id"]) for line in decisions
                          if line["currentReplicas"] != line["desiredReplicas"]])

        # One picture has what both did.
        done = self.kubectl("ballast", "history", "web", "-n", "shop", "-o", "plot")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("▲ scaled out (1)  ▼ scaled in (1)", done.stdout)

        # All of it comes out, and is decided here as it was there.
        done = self.kubectl("ballast", "export", "web", "-n", "shop", "--since", "24h")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        exported = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(line["pod"], line["id"]) for line in exported],
                         [(line["pod"], line["id"]) for line in decisions])
        self.assertTrue(all("snapshot" in line for line in exported if line["outcome"] == "written"))
        done = self.kubectl("ballast", "replay", "web", "-n", "shop", "--since", "24h")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"\A\d+ of {len(exported)} decisions .* all came out as recorded\.\n\Z")

        self.pods(3, second, node=None)
        wait_until("the third pod", lambda: self.cluster.kubectl(
            "get", "pod", "asked-2", "-n", RELEASE_NAMESPACE, "--ignore-not-found"))
        caller = self.caller()
        at = decisions[0]["time"]
        done = self.kubectl("ballast", "why", "shop/web", "--at", at, "--ballast-namespace",
                            RELEASE_NAMESPACE, kubeconfig=caller)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{RELEASE_NAMESPACE}/asked-2 was not reached: ", done.stderr)
        self.assertIn(f"From the ledger of {RELEASE_NAMESPACE}/asked-0:\n", done.stdout)
        # Without the namespace it would have to find the operator's account.
        done = self.kubectl("ballast", "history", "shop/web", kubeconfig=caller)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("forbidden", done.stderr)
        self.assertIn("--ballast-namespace", done.stderr)

    def test_following_while_pods_come_and_go(self):
        follow = self.cluster.namespace("follow")
        target = deployment("web")
        follow.apply(target, policy("web", maxReplicas=2))
        first, second = self.store("follow-1.db"), self.store("follow-2.db")
        operator = self.operator(store=first).wait_ready()
        self.wait_for_replicas(follow, target, 2)
        self.pods(1, first)
        self.wait_running("asked-0")
        words = ("kubectl", "ballast", "history", "web", "-n", "follow", "-f", "-o", "json")
        with subprocess.Popen(words, env=self.environment(), stdout=subprocess.PIPE,
                              text=True) as follower:
            self.addCleanup(follower.kill)

            def wait_for(pod, before, after):
                """The line that says so; none is told twice."""
                for text in follower.stdout:
                    line = json.loads(text)
                    if "id" in line:
                        self.assertNotIn((line["pod"], line["id"]), told)
                        told.add((line["pod"], line["id"]))
                    if (line.get("pod"), line.get("currentReplicas"), line.get("desiredReplicas"),
                            line.get("outcome")) == (pod, before, after, "written"):
                        return
                self.fail(f"{pod}: {before} -> {after} was not told")

            told = set()
            wait_for(f"{RELEASE_NAMESPACE}/asked-0", 1, 2)
            self.assertEqual(operator.stop(), 0)
            follow.edit_policy("web", maxReplicas=3)
            self.operator(store=second).wait_ready()
            self.pods(2, second)
            wait_for(f"{RELEASE_NAMESPACE}/asked-1", 2, 3)
            follower.stdout.close()
            self.assertEqual(follower.wait(), 0)


if __name__ == "__main__":
    unittest.main()
