#!/usr/bin/env python3
"""Tests the subcommands that work on the cluster, with the caller's kubeconfig and rights."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from support.case import ClusterCase
from support.cluster import RELEASE
from support.objects import deployment, hpa, namespaced, policy
from support.process import BALLAST, ballast
from support.waiting import wait_until


class CommandsTest(ClusterCase):
    LOADS = {("shop", "web"): 150, ("asked", "measured"): 150}

    def run_(self, command, *words, kubeconfig=None):
        return ballast(command, *words, "--kubeconfig",
                       kubeconfig or self.cluster.dir / "kubeconfig")

    def get(self, *words):
        """The summaries by name."""
        done = self.run_("get", *words, "-o", "json")
        return {f"{item['kind']}/{item['name']}": item
                for item in json.loads(done.stdout)["items"]}, done.returncode

    def test_what_works_and_what_does_not(self):
        shop = self.cluster.namespace("shop")
        target = deployment("broken")
        shop.apply(deployment("web"), target, policy("web"),
                   policy("lost", target=deployment("nowhere")), hpa("broken", target))
        self.operator().wait_ready()
        self.wait_for_replicas(shop, deployment("web"), 3)
        wait_until("the status after the scale-up", lambda: shop.policy("web").get(
            "status", {}).get("currentReplicas") == 3)
        self.wait_for_condition(shop, "lost", "Ready", status="False")

        everything, status = self.get("-n", "shop")
        self.assertEqual(status, 0)
        web = everything["AutoScalePolicy/web"]
        self.assertEqual((web["ready"], web["currentReplicas"], web["desiredReplicas"],
                          web["mode"]), ("True", 3, 3, "Active"))
        self.assertEqual(everything["HorizontalPodAutoscaler/broken"]["ready"], "Unknown")

        unhealthy, status = self.get("-A", "--unhealthy")
        self.assertEqual(status, 1)
        self.assertLessEqual({"AutoScalePolicy/lost", "HorizontalPodAutoscaler/broken"},
                             set(unhealthy))
        self.assertNotIn("AutoScalePolicy/web", self.get("-n", "shop", "--unhealthy")[0])

        table = self.run_("get", "asp/web", "-n", "shop", "-o", "wide").stdout.splitlines()
        self.assertEqual(len(table), 2)
        self.assertTrue(table[0].startswith("NAMESPACE  NAME     MIN  MAX  REPLICAS"), table[0])
        self.assertIn("Deployment/web", table[1])
        self.assertRegex(self.run_("get", "asp/web", "-n", "shop", "--no-headers").stdout,
                         r"\Ashop +asp/web +1 +10 +3 +3 .* ago\n\Z")
        self.assertIn("\n  name: web\n", self.run_("get", "web", "-n", "shop", "-o", "yaml").stdout)
        names = self.run_("get", "web", "hpa/broken", "-n", "shop", "-o", "name").stdout
        self.assertEqual(names, "autoscalepolicy.ballast.dev/web\n"
                                "horizontalpodautoscaler.autoscaling/broken\n")
        absent = self.run_("get", "hpa/web", "-n", "shop")
        self.assertEqual((absent.returncode, absent.stdout), (1, ""))
        self.assertIn("there is no HorizontalPodAutoscaler web in namespace shop", absent.stderr)

    def test_what_metrics_say(self):
        asked = self.cluster.namespace("asked")
        queue = {"type": "External", "external": {
            "metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "1"}}}
        asked.apply(deployment("measured"), policy("measured"),
                    hpa("queue", deployment("queued"), metrics=[queue]), deployment("queued"))
        # Nothing is asked of an operator; there is none.
        wait_until("a sample of the pod", lambda: self.run_(
            "metrics", "asp/measured", "-n", "asked").returncode == 0)
        answer = json.loads(self.run_("metrics", "asp/measured", "-n", "asked", "-o", "json").stdout)
        metric, = answer["metrics"]
        self.assertEqual((answer["replicas"], metric["replicas"]), (1, 3))
        self.assertLess(metric["sampleAgeSeconds"], 60)
        request, = metric["requests"]
        self.assertEqual(len(self.api.get(request)["items"]), 1)

        broken = self.run_("metrics", "hpa/queue", "-n", "asked")
        self.assertEqual(broken.returncode, 1)
        self.assertIn("metric 0 (External): This metric is unusable", broken.stdout)
        self.assertIn("kubectl get --raw '/apis/external.metrics.k8s.io/", broken.stdout)
        absent = self.run_("metrics", "asp/nobody", "-n", "asked")
        self.assertEqual(absent.returncode, 1)
        self.assertIn("nobody", absent.stderr)

    def test_completion_and_following(self):
        stream = self.cluster.namespace("stream")
        stream.apply(deployment("app"), policy("app", min_replicas=2, max_replicas=3))
        self.operator().wait_ready()
        self.wait_for_replicas(stream, deployment("app"), 2)
        kubeconfig = str(self.cluster.dir / "kubeconfig")
        store = str(self.store())
        for words, told in ((("pause", "--kubeconfig", kubeconfig, "-n", "stream", "a"), "asp/app"),
                            (("get", "--kubeconfig", kubeconfig, "-n", "str"), "stream"),
                            (("why", "--store", store, "str"), "stream/app"),
                            (("why", "--store", store, "-n", "stream", ""), "asp/app")):
            found = ballast("__complete", "--", *words)
            self.assertEqual((found.returncode, found.stderr), (0, ""))
            self.assertEqual([line.split("\t")[0] for line in found.stdout.splitlines()], [told])

        script = """eval "$(ballast completion bash)"
                    COMP_WORDS=(ballast why --store "$1" -n stream ""); COMP_CWORD=6
                    _ballast; echo "${COMPREPLY[@]}" """
        done = subprocess.run(["bash", "-c", script, "-", store], capture_output=True, text=True,
                              env=os.environ | {"PATH": f"{Path(BALLAST).parent}:{os.environ['PATH']}"})
        self.assertEqual((done.stdout, done.stderr), ("asp/app\n", ""))

        with subprocess.Popen([BALLAST, "history", "stream/app", "--store", store, "-f", "-o", "json"],
                              stdout=subprocess.PIPE, text=True) as follower:
            self.addCleanup(follower.kill)
            json.loads(follower.stdout.readline())
            stream.apply(policy("app", min_replicas=3, max_replicas=3))
            for line in follower.stdout:
                if json.loads(line).get("desiredReplicas") == 3:
                    break
            self.assertEqual(json.loads(line)["outcome"], "written")
            follower.stdout.close()
            self.assertEqual(follower.wait(), 0)

    def test_a_pause_and_its_end(self):
        night = self.cluster.namespace("night")
        night.apply(deployment("batch"), policy("batch", min_replicas=2, max_replicas=3))
        self.operator().wait_ready()
        until = "2099-01-01T12:00:00+02:00"
        paused = self.run_("pause", "asp/batch", "-n", "night", "--until", until, "--only", "in",
                           "--reason", "black friday")
        self.assertEqual(paused.returncode, 0, paused.stderr)
        told = "paused scale-in until 2099-01-01T10:00:00Z: black friday"
        self.assertIn(told, paused.stdout)
        held = self.wait_for_condition(night, "batch", "Held", reason="Paused")
        self.assertIn(told, held["message"])
        by = night.policy("batch")["metadata"]["annotations"]["ballast.dev/paused-by"]
        self.assertIn(f"asp/batch in night: {by} {told}", paused.stdout)

        resumed = self.run_("resume", "asp/batch", "-n", "night")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertIn(told, resumed.stdout)
        self.wait_for_condition(night, "batch", "Held", status="False")
        again = self.run_("resume", "night/batch")
        self.assertEqual((again.returncode, again.stdout), (0, "asp/batch in night is not paused\n"))
        for wrong in "yesterday", "2020-01-01T00:00:00Z":
            done = self.run_("pause", "asp/batch", "-n", "night", "--until", wrong, "--reason", "r")
            self.assertEqual(done.returncode, 2)
            self.assertIn(wrong, done.stderr)

    def test_autoscale_changes_only_what_it_has_made(self):
        made = self.cluster.namespace("made")
        made.apply(deployment("web"), policy("other"))
        for words, told in ((("--max", "5"), "created"), (("--max", "5"), "unchanged"),
                            (("--max", "7", "--min", "2"), "changed")):
            done = self.run_("autoscale", "deployment/web", "--cpu", "60%", "-n", "made", "--apply",
                             *words)
            self.assertEqual((done.stdout, done.stderr), (f"asp/web in made: {told}\n", ""))
        spec = made.policy("web")["spec"]
        self.assertEqual((spec["minReplicas"], spec["maxReplicas"]), (2, 7))
        refused = self.run_("autoscale", "deployment/web", "--max", "5", "-n", "made", "--apply",
                            "--name", "other")
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("which ballast autoscale has not made", refused.stderr)

    def test_with_few_rights(self):
        """A kind that may not be read does not hide the other, and is named."""
        watched = self.cluster.namespace("watched")
        watched.apply(
            namespaced("v1", "ServiceAccount", "viewer"),
            namespaced("rbac.authorization.k8s.io/v1", "RoleBinding", "viewer",
                       roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                                "name": f"{RELEASE}-view-policies"},
                       subjects=[{"kind": "ServiceAccount", "name": "viewer",
                                  "namespace": "watched"}]),
            deployment("app"), policy("app"))
        token = self.cluster.kubectl("create", "token", "viewer", "-n", "watched").strip()
        done = self.run_("get", "-n", "watched", "-o", "name",
                         kubeconfig=self.cluster.operator_kubeconfig(token=token))
        self.assertEqual(done.returncode, 1)
        self.assertIn("autoscalepolicy.ballast.dev/app\n", done.stdout)
        self.assertIn("horizontalpodautoscalers cannot be read", done.stderr)
        refused = self.run_("pause", "asp/app", "-n", "watched", "--reason", "r",
                            kubeconfig=self.cluster.operator_kubeconfig(token=token))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("system:serviceaccount:watched:viewer", refused.stderr)


if __name__ == "__main__":
    unittest.main()
