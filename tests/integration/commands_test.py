#!/usr/bin/env python3
"""Tests the subcommands that work on the cluster, with the caller's kubeconfig and rights."""

import json
import unittest

from support.case import ClusterCase
from support.cluster import RELEASE
from support.objects import deployment, hpa, namespaced, policy
from support.process import ballast
from support.waiting import wait_until

NAMESPACE = "shop"
USER = f"system:serviceaccount:{NAMESPACE}:viewer"


class CommandsTest(ClusterCase):
    LOADS = {(NAMESPACE, "web"): 150}

    def setUp(self):
        self.namespace = self.cluster.namespace(NAMESPACE)

    def run_(self, command, *words, kubeconfig=None):
        return ballast(command, *words, "--kubeconfig",
                       kubeconfig or self.cluster.dir / "kubeconfig")

    def get(self, *words):
        """The summaries by name."""
        done = self.run_("get", *words, "-o", "json")
        return {f"{item['kind']}/{item['name']}": item
                for item in json.loads(done.stdout)["items"]}, done.returncode

    def test_what_works_and_what_does_not(self):
        target = deployment("broken")
        self.namespace.apply(deployment("web"), target, policy("web"),
                             policy("lost", target=deployment("nowhere")), hpa("broken", target))
        self.operator().wait_ready()
        self.wait_for_replicas(self.namespace, deployment("web"), 3)
        wait_until("the status after the scale-up", lambda: self.namespace.policy("web")[
            "status"]["currentReplicas"] == 3)
        self.wait_for_condition(self.namespace, "lost", "Ready", status="False")

        everything, status = self.get("-n", NAMESPACE)
        self.assertEqual(status, 0)
        web = everything["AutoScalePolicy/web"]
        self.assertEqual((web["ready"], web["currentReplicas"], web["desiredReplicas"],
                          web["mode"]), ("True", 3, 3, "Active"))
        self.assertEqual(everything["HorizontalPodAutoscaler/broken"]["ready"], "Unknown")

        unhealthy, status = self.get("-A", "--unhealthy")
        self.assertEqual(status, 1)
        self.assertEqual(set(unhealthy), {"AutoScalePolicy/lost", "HorizontalPodAutoscaler/broken"})

        table = self.run_("get", "asp/web", "-n", NAMESPACE, "-o", "wide").stdout.splitlines()
        self.assertEqual(len(table), 2)
        self.assertTrue(table[0].startswith("NAMESPACE  NAME     MIN  MAX  REPLICAS"), table[0])
        self.assertIn("Deployment/web", table[1])
        names = self.run_("get", "web", "hpa/broken", "-n", NAMESPACE, "-o", "name").stdout
        self.assertEqual(names, "autoscalepolicy.ballast.dev/web\n"
                                "horizontalpodautoscaler.autoscaling/broken\n")
        absent = self.run_("get", "hpa/web", "-n", NAMESPACE)
        self.assertEqual((absent.returncode, absent.stdout), (1, ""))
        self.assertIn("there is no HorizontalPodAutoscaler web in namespace shop", absent.stderr)

    def test_a_pause_and_its_end(self):
        self.namespace.apply(deployment("web"), policy("web", min_replicas=2, max_replicas=3))
        self.operator().wait_ready()
        until = "2099-01-01T12:00:00+02:00"
        paused = self.run_("pause", "asp/web", "-n", NAMESPACE, "--until", until, "--only", "in",
                           "--reason", "black friday")
        self.assertEqual(paused.returncode, 0, paused.stderr)
        told = "paused scale-in until 2099-01-01T10:00:00Z: black friday"
        self.assertIn(told, paused.stdout)
        held = self.wait_for_condition(self.namespace, "web", "Held", reason="Paused")
        self.assertIn(told, held["message"])
        by = self.namespace.policy("web")["metadata"]["annotations"]["ballast.dev/paused-by"]
        self.assertIn(f"asp/web in {NAMESPACE}: {by} {told}", paused.stdout)

        resumed = self.run_("resume", "asp/web", "-n", NAMESPACE)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertIn(told, resumed.stdout)
        self.wait_for_condition(self.namespace, "web", "Held", status="False")
        again = self.run_("resume", f"{NAMESPACE}/web")
        self.assertEqual((again.returncode, again.stdout), (0, "asp/web in shop is not paused\n"))
        for wrong in "yesterday", "2020-01-01T00:00:00Z":
            done = self.run_("pause", "asp/web", "-n", NAMESPACE, "--until", wrong, "--reason", "r")
            self.assertEqual(done.returncode, 2)
            self.assertIn(wrong, done.stderr)

    def test_with_few_rights(self):
        """A kind that may not be read does not hide the other, and is named."""
        self.namespace.apply(
            namespaced("v1", "ServiceAccount", "viewer"),
            namespaced("rbac.authorization.k8s.io/v1", "RoleBinding", "viewer",
                       roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                                "name": f"{RELEASE}-view-policies"},
                       subjects=[{"kind": "ServiceAccount", "name": "viewer",
                                  "namespace": NAMESPACE}]),
            deployment("app"), policy("app"))
        token = self.cluster.kubectl("create", "token", "viewer", "-n", NAMESPACE).strip()
        done = self.run_("get", "-n", NAMESPACE, "-o", "name",
                         kubeconfig=self.cluster.operator_kubeconfig(token=token))
        self.assertEqual(done.returncode, 1)
        self.assertIn("autoscalepolicy.ballast.dev/app\n", done.stdout)
        self.assertIn("horizontalpodautoscalers cannot be read", done.stderr)
        refused = self.run_("pause", "asp/app", "-n", NAMESPACE, "--reason", "r",
                            kubeconfig=self.cluster.operator_kubeconfig(token=token))
        self.assertEqual(refused.returncode, 1)
        self.assertIn(USER, refused.stderr)


if __name__ == "__main__":
    unittest.main()
