#!/usr/bin/env python3
"""Tests the subcommands that work on the cluster, with the caller's kubeconfig and rights."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support.objects import deployment, hpa, namespaced, override, policy
from support.process import BALLAST, ROOT, ballast
from support.sharing_case import SharingCase
from support.waiting import wait_until


DOCUMENT = ROOT / "docs/commands.md"


def documented_rights():
    """Pairs: a command, and the cell with its rights."""
    section = re.search(r"^## Rights of the callers\n(.*?)^## ", DOCUMENT.read_text(), re.M | re.S)
    return re.findall(r"^\| `([^`]+)` \| (.+) \|$", section[1], re.M)


class CommandsTest(SharingCase):
    LOADS = {("shop", "web"): 150, ("asked", "measured"): 150, ("callers", "web"): 150}

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
        self.assertGreaterEqual(metric["sampleAgeSeconds"], 0)
        self.assertIn("\nreplicas: 1\n", self.run_(
            "metrics", "asp/measured", "-n", "asked", "-o", "yaml").stdout)
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
        stream.apply(deployment("app"), policy("app", min_replicas=2, max_replicas=3), override("app", floor=2))
        self.operator().wait_ready()
        self.wait_for_replicas(stream, deployment("app"), 2)
        kubeconfig = str(self.cluster.dir / "kubeconfig")
        store = str(self.store())
        for words, told in ((("pause", "--kubeconfig", kubeconfig, "-n", "stream", "a"), "asp/app"),
                            (("override", "end", "--kubeconfig", kubeconfig, "-n", "stream", "a"), "app-override"),
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
        paused = self.run_("pause", "asp/batch", "-n", "night", "--for", "2h", "--only", "in",
                           "--reason", "black friday")
        self.assertEqual(paused.returncode, 0, paused.stderr)
        made = time.time()
        self.assertRegex(paused.stdout, r"^asp/batch in night: hold of scale-in for asp/batch until "
                                        r"\S+Z, by .*: black friday\n")
        self.wait_for_condition(night, "batch", "Held", status="True", reason="Paused",
                                message="paused scale-in until ")
        wait_until("another second: of two that were made in one, either counts", lambda: time.time() > made + 1)
        shorter = self.run_("pause", "asp/batch", "-n", "night", "--reason", "short")
        self.assertRegex(shorter.stderr, r"^Warning: batch-hold-\w+, hold of scale-in for .*: black friday, does not "
                                         r"count while this one does, and counts again after it\n$")

        # GitOps may have set the annotations as well.
        self.cluster.kubectl("annotate", "asp", "batch", "-n", "night",
                             "ballast.dev/paused-until=2099-01-01T12:00:00+02:00",
                             "ballast.dev/paused-by=git", "ballast.dev/paused-reason=frozen")
        resumed = self.run_("resume", "asp/batch", "-n", "night")
        self.assertEqual((resumed.returncode, resumed.stderr), (0, ""))
        self.assertRegex(resumed.stdout, r"^asp/batch in night scales again: ended\n"
                                         r"  batch-hold-\w+, hold for .*\n  batch-hold-\w+, hold of scale-in .*\n"
                                         r"  annotation, git paused scaling until 2099-01-01T10:00:00Z: frozen\n$")
        self.wait_for_condition(night, "batch", "Held", status="False")
        again = self.run_("resume", "night/batch")
        self.assertEqual((again.returncode, again.stdout), (0, "asp/batch in night is not paused\n"))
        for words in ("pause", "--reason", "r"), ("resume",):
            named = self.run_(*words, "asp/batch", "-n", "night", "-o", "name")
            self.assertEqual(named.stdout, "autoscalepolicy.ballast.dev/batch\n", named.stderr)
        for wrong in "yesterday", "2020-01-01T00:00:00Z", "2h":
            done = self.run_("pause", "asp/batch", "-n", "night", "--until", wrong, "--reason", "r")
            self.assertEqual(done.returncode, 2)
            self.assertIn("--until: ", done.stderr)

    def test_autoscale_changes_only_what_it_has_made(self):
        made = self.cluster.namespace("made")
        made.apply(deployment("web"), policy("other"))
        for words, told in ((("--max", "5"), "created"), (("--max", "5"), "unchanged"),
                            (("--max", "7", "--min", "2"), "changed")):
            done = self.run_("autoscale", "deployment/web", "--cpu", "60%", "-n", "made", "--apply",
                             *words)
            self.assertEqual((done.stdout, done.stderr), (f"asp/web in made: {told}\n", ""))
        for words in (), ("--apply",):
            named = self.run_("autoscale", "deployment/web", "--max", "7", "--min", "2", "--cpu", "60%",
                              "-n", "made", "-o", "name", *words)
            self.assertEqual(named.stdout, "autoscalepolicy.ballast.dev/web\n", named.stderr)
        spec = made.policy("web")["spec"]
        self.assertEqual((spec["minReplicas"], spec["maxReplicas"]), (2, 7))
        refused = self.run_("autoscale", "deployment/web", "--max", "5", "-n", "made", "--apply",
                            "--name", "other")
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("which ballast autoscale has not made", refused.stderr)

    def test_get_follows(self):
        followed = self.cluster.namespace("followed")
        followed.apply(deployment("web"), policy("web"))
        words = [BALLAST, "get", "-w", "-n", "followed", "-o", "json", "--kubeconfig",
                 self.cluster.dir / "kubeconfig"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            try:
                item = json.loads(process.stdout.readline())
                self.assertEqual((item["name"], item["maxReplicas"]), ("web", 10))
                followed.apply(hpa("api", deployment("web")))
                self.assertEqual(json.loads(process.stdout.readline())["name"], "api")
                self.cluster.kubectl("delete", "asp", "web", "-n", "followed")
                item = json.loads(process.stdout.readline())
                self.assertEqual((item["name"], item["ready"]), ("web", "Deleted"))
            finally:
                process.terminate()
        self.assertEqual(process.returncode, -signal.SIGTERM)
        several = self.run_("get", "-w", "one/web", "two/web")
        self.assertEqual(several.returncode, 2)
        self.assertIn("--watch follows one namespace", several.stderr)

    def account(self, namespace, name, rights):
        """A kubeconfig with exactly these rights in the namespace: "get deployments.apps/scale"."""
        rules = []
        for right in rights:
            verb, resource = right.split()
            resource, slash, sub = resource.partition("/")
            resource, _, group = resource.partition(".")
            rules.append({"apiGroups": [group], "resources": [resource + slash + sub], "verbs": [verb]})
        rbac = "rbac.authorization.k8s.io"
        namespace.apply(
            namespaced("v1", "ServiceAccount", name),
            namespaced(f"{rbac}/v1", "Role", name, rules=rules),
            namespaced(f"{rbac}/v1", "RoleBinding", name,
                       roleRef={"apiGroup": rbac, "kind": "Role", "name": name},
                       subjects=[{"kind": "ServiceAccount", "name": name,
                                  "namespace": namespace.name}]))
        token = self.cluster.kubectl("create", "token", name, "-n", namespace.name).strip()
        return self.cluster.operator_kubeconfig(token=token)

    def test_the_rights_that_are_documented(self):
        """Each command works with the rights that docs/commands.md has, and with none of them less."""
        namespace = self.cluster.namespace("callers")
        namespace.apply(deployment("web"), policy("web"), hpa("web", deployment("other")),
                        deployment("new"))
        wait_until("a sample of the pod", lambda: self.run_(
            "metrics", "asp/web", "-n", "callers").returncode == 0)
        rows = [(command, cell) for command, cell in documented_rights() if "-w" not in command.split()]
        self.assertEqual({command.split()[0] for command, _ in rows},
                         {"get", "metrics", "autoscale", "schedule", "floor", "overrides", "pause", "resume"})
        for number, (command, cell) in enumerate(rows):
            rights = re.findall(r"`([^`]+)`", cell)
            words = (*command.split(), "-n", "callers")
            accounts = [self.account(namespace, f"row-{number}-{index}",
                                     rights[:index] + rights[index + 1:])
                        for index in range(len(rights))]
            full = self.account(namespace, f"row-{number}", rights)
            with self.subTest(command):
                said = lambda: self.run_(*words, kubeconfig=full).stderr
                wait_until(lambda: f"{command} to work: {said()}", lambda: self.run_(
                    *words, kubeconfig=full).returncode == 0)
            if "--apply" in words:
                self.cluster.kubectl("delete", "autoscalepolicy", "new", "-n", "callers")
            if "resume" in words:
                self.run_("pause", "asp/web", "-n", "callers", "--reason", "sale")
            for right, kubeconfig in zip(rights, accounts):
                with self.subTest(command, without=right):
                    done = self.run_(*words, kubeconfig=kubeconfig)
                    self.assertEqual(done.returncode, 1, done)
                    self.assertIn("cannot", done.stdout + done.stderr)

    def test_the_rights_to_follow(self):
        """Changes of both kinds are followed with the rights that are documented, and with none of them less."""
        namespace = self.cluster.namespace("followers")
        namespace.apply(policy("web"), hpa("api", deployment("other")))
        rights = re.findall(r"`([^`]+)`", dict(documented_rights())["get -w"])
        full = self.account(namespace, "full", rights)
        wait_until("the rights to count", lambda: self.run_(
            "get", "-n", "followers", kubeconfig=full).returncode == 0)
        accounts = [(right, self.account(namespace, f"without-{index}", rights[:index] + rights[index + 1:]))
                    for index, right in enumerate(rights)]
        with self.following("followers", full) as process:
            json.loads(process.stdout.readline())
            namespace.apply(policy("web", max_replicas=9), hpa("api", deployment("other"), max_replicas=9))
            changed = set()
            while changed != {"AutoScalePolicy", "HorizontalPodAutoscaler"}:
                item = json.loads(process.stdout.readline())
                changed |= {item["kind"]} if item["maxReplicas"] == 9 else set()
        for right, kubeconfig in accounts:
            verb, resource = re.fullmatch(r"(\w+) (\w+)\..*", right).groups()
            wait_until("the rights to count", lambda: self.run_(
                "get", "-n", "followers", kubeconfig=kubeconfig).stderr.count("cannot list") == (verb == "list"))
            with self.subTest(without=right), self.following("followers", kubeconfig) as process:
                said = next(line for line in process.stderr if f"cannot {verb}" in line)
                self.assertIn(resource, said)

        # Who names a policy needs no rights to HPAs.
        policies = [f"{verb} autoscalepolicies.ballast.dev" for verb in ("get", "list", "watch")]
        kubeconfig = self.account(namespace, "policies", policies)
        wait_until("the rights to count", lambda: self.run_(
            "get", "asp/web", "-n", "followers", kubeconfig=kubeconfig).returncode == 0)
        with self.following("followers", kubeconfig, "asp/web") as process:
            json.loads(process.stdout.readline())
            namespace.apply(policy("web", max_replicas=8))
            self.assertEqual(json.loads(process.stdout.readline())["maxReplicas"], 8)
            process.terminate()
            self.assertNotIn("horizontalpodautoscalers", process.stderr.read())

    @contextlib.contextmanager
    def following(self, namespace, kubeconfig, *names):
        with subprocess.Popen([BALLAST, "get", "-w", *names, "-n", namespace, "-o", "json",
                               "--kubeconfig", kubeconfig],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                yield process
            finally:
                process.terminate()

    def test_with_few_rights(self):
        """A kind that may not be read does not hide the other, and is named."""
        watched = self.cluster.namespace("watched")
        watched.apply(
            namespaced("v1", "ServiceAccount", "viewer"),
            namespaced("rbac.authorization.k8s.io/v1", "RoleBinding", "viewer",
                       roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                                "name": f"{self.cluster.release}-view-policies"},
                       subjects=[{"kind": "ServiceAccount", "name": "viewer",
                                  "namespace": "watched"}]),
            deployment("app"), policy("app"))
        token = self.cluster.kubectl("create", "token", "viewer", "-n", "watched").strip()
        look = lambda: self.run_("get", "-n", "watched", "-o", "name",
                                 kubeconfig=self.cluster.operator_kubeconfig(token=token))
        wait_until("the rights to count", lambda: "autoscalepolicy.ballast.dev/app\n" in look().stdout)
        done = look()
        self.assertEqual(done.returncode, 1)
        self.assertIn("horizontalpodautoscalers cannot be read", done.stderr)
        refused = self.run_("pause", "asp/app", "-n", "watched", "--reason", "r",
                            kubeconfig=self.cluster.operator_kubeconfig(token=token))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("system:serviceaccount:watched:viewer", refused.stderr)


if __name__ == "__main__":
    unittest.main()
