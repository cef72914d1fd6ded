#!/usr/bin/env python3
"""Tests the chart's pod where it really runs: from the image, as the chart asks for, probed, and behind
the Service's address; and helm's install, upgrade, rollback, test and uninstall, which wait for it."""

import os
import re
import signal
import unittest
from pathlib import Path

from support.agent import enter_network
from support.alerts import command_of, run_command
from support.api import ApiError, path
from support.cluster import RELEASE, RELEASE_NAMESPACE
from support.ledger import newer, schema_of, set_schema
from support.long_form import only_long
from support.objects import condition, deployment, policy
from support.pod_case import HELM, NODES, UNINSTALLED, PodCase
from support.waiting import wait_until
from support.waiting_scalings import IN, OUT, WaitingScalings
from support.webhook import answers, refusal, try_out

USER = "65532"  # the chart's
POD = f"{RELEASE}-0"
CLAIM = path("v1", "persistentvolumeclaims", RELEASE_NAMESPACE, f"store-{POD}")
LEDGER = "ballast.db"
ACCOUNT = "var/run/secrets/kubernetes.io/serviceaccount"
# The schema allows it, but no container has such a resource.
UNHEARD = {"type": "ContainerResource", "containerResource": {
    "name": "gpu", "container": "app", "target": {"type": "Utilization", "averageUtilization": 50}}}


class PodTest(PodCase):
    DENIED = UNINSTALLED
    LOADS = {("shop", "web"): 150, ("back", "in"): IN, ("back", "out"): OUT}

    def pod(self):
        return self.api.get(path("v1", "pods", RELEASE_NAMESPACE, POD))

    def process(self):
        """The operator's process id."""
        return self.agent.process(POD, RELEASE)

    def arguments(self):
        return Path(f"/proc/{self.process()}/cmdline").read_text().split("\0")

    def history(self):
        """What changed the replicas of shop/web and has an outcome, as the operator's pod says."""
        lines = self.agent.execute(POD, RELEASE, "ballast", "history", "shop/web", "--changes-only", "--no-headers")
        return [" ".join(line.split()) for line in lines.splitlines() if " written " in line]

    def test_the_process_is_what_the_chart_asks_for(self):
        process = Path(f"/proc/{self.process()}")
        status = dict(re.findall(r"^(\w+):\t(.*)$", (process / "status").read_text(), re.M))
        self.assertEqual(status["Uid"].split(), [USER] * 4)
        self.assertEqual(status["Gid"].split(), [USER] * 4)
        self.assertEqual(status["Groups"].split(), [USER])
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(status["NSpid"].split()[-1], "1")
        for kind in "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb":
            self.assertEqual(int(status[kind], 16), 0, kind)
        self.assertEqual(self.arguments()[:2], ["/usr/local/bin/ballast", "operator"])
        self.assertIn(f"--leader-elect-identity={POD}_{self.pod()['metadata']['uid']}", self.arguments())

        root = process / "root"
        for folder in "", "etc", "usr/local/bin", ACCOUNT:
            with self.subTest(folder), self.assertRaisesRegex(OSError, "Read-only file system"):
                (root / folder / "written").touch()
        self.assertEqual(str((root / "var/lib/ballast/ballast.db").stat().st_uid), USER)
        token = (root / ACCOUNT / "token").stat()
        self.assertEqual((oct(token.st_mode & 0o777), str(token.st_uid)), ("0o640", USER))
        self.assertEqual((root / "etc/hostname").read_text(), POD + "\n")
        self.assertNotEqual((process / "ns/net").readlink(), Path("/proc/self/ns/net").readlink())
        self.assertIn('"msg":"ready"', self.cluster.kubectl("logs", POD, "-n", RELEASE_NAMESPACE))

    def test_a_wrong_policy_is_refused(self):
        with self.assertRaisesRegex(ApiError, 'webhook "validate.autoscalepolicies.ballast.dev" denied'):
            try_out(self.api, policy("web", metrics=[UNHEARD]))

    @only_long
    def test_helm_test(self):
        said = self.helm("test", "--timeout", HELM)
        self.assertRegex(said, r"TEST SUITE: +ballast-check\n(.*\n)+Phase: +Succeeded")
        self.assertRegex(self.agent.log(f"{RELEASE}-check"), r"(?m)^0 failures, ")

    @only_long
    def test_a_pod_that_does_not_answer_is_not_ready_and_not_asked(self):
        self.assertTrue(answers(self.api))
        ready = lambda: condition(self.pod(), "Ready")["status"] == "True"
        pid = self.process()
        os.kill(pid, signal.SIGSTOP)
        try:
            wait_until("the pod not to be ready", lambda: not ready())
            wait_until("the API server to call nobody",
                       lambda: "connection refused" in refusal(self.api, policy("probe")))
        finally:
            os.kill(pid, signal.SIGCONT)
        wait_until("the pod to be ready", ready)
        wait_until("the API server to reach it", lambda: answers(self.api))

    @only_long
    def test_a_process_that_ends_is_started_again(self):
        before = self.pod()["status"]["containerStatuses"][0]["restartCount"]
        os.kill(self.process(), signal.SIGKILL)
        def is_back():
            status = self.pod()["status"]["containerStatuses"][0]
            return status["restartCount"] == before + 1 and status["ready"] and status
        ended = wait_until("the container to be ready again", is_back)["lastState"]["terminated"]
        self.assertEqual(ended["exitCode"], 128 + signal.SIGKILL)

    @only_long
    def test_the_commands_of_alerts_about_pods_find_them(self):
        run = lambda alert: run_command(self.cluster, command_of(alert, namespace=RELEASE_NAMESPACE, pod=POD))
        self.assertIn('"pods"', run("BallastCacheOld"))
        self.assertIn(f"store-{POD} ", run("BallastHistoryShort"))
        self.assertRegex(run("BallastNobodyLeads"), rf" {RELEASE} +{POD}_(.*\n)+.* {POD} +1/1 +Running ")
        # So that the certificate cannot be renewed.
        self.api.delete(path("rbac.authorization.k8s.io/v1", "roles", RELEASE_NAMESPACE, f"{RELEASE}-webhook"))
        said = lambda: run("BallastCertificateExpires").splitlines()[-1]
        wait_until("what is missing", lambda: re.search(rf"have a problem.*/secrets/{RELEASE}-webhook.*forbidden", said()))
        self.install()
        wait_until("the Role to count", lambda: "are well again" in said())

    @only_long
    def test_an_image_that_is_not_there_does_not_run(self):
        # On the other kubelet's nodes it would.
        default = self.cluster.namespace("default")
        absent = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "absent"},
                  "spec": {"containers": [{"name": "app", "image": "absent"}]}}
        default.apply(absent)
        self.addCleanup(self.api.delete, default.path(absent))
        def is_missed():
            statuses = default.get(absent)["status"].get("containerStatuses")
            return statuses and statuses[0]["state"].get("waiting", {}).get("reason") == "ErrImagePull"
        wait_until("the image to be missed", is_missed)
        self.assertIn(default.get(absent)["spec"]["nodeName"], NODES)
        self.assertEqual(condition(default.get(absent), "Ready")["status"], "False")

    @only_long
    def test_an_upgrade_and_a_rollback_replace_the_pod_and_keep_its_memory(self):
        shop = self.cluster.namespace("shop")
        shop.apply(deployment("web"), policy("web"))
        self.wait_for_replicas(shop, deployment("web"), 3)
        scaled, = wait_until("the decision", self.history)
        pods, level = [self.pod()["metadata"]["uid"]], "--log-level=info"
        self.assertIn(level, self.arguments())
        revision = self.revision()
        for step, level in ((lambda: self.install('operator.logLevel="debug"'), "--log-level=debug"),
                            (lambda: self.roll_back(revision), level)):
            with self.subTest(level):
                step()
                self.assertNotIn(self.pod()["metadata"]["uid"], pods)
                pods.append(self.pod()["metadata"]["uid"])
                self.assertIn(level, self.arguments())
                self.assertIn(scaled, self.history())
                self.assertTrue(answers(self.api))
        self.assertEqual(shop.replicas(deployment("web")), 3)

    @only_long
    def test_a_rollback_over_a_change_of_the_schema_does_not_scale_in_early(self):
        self.addCleanup(self.remove_with_the_volume)
        back = self.cluster.namespace("back")
        scalings = WaitingScalings(self, back, "in", ["out"], window=30)
        scalings.begin()
        revision, schema = self.revision(), schema_of()
        self.install('operator.logLevel="debug"')
        # The volume as a newer version leaves it.
        self.stop_pod()
        ledger = self.volume() / LEDGER
        before = set_schema(ledger, schema + 1)
        self.assertTrue(before)
        self.roll_back(revision)
        scalings.finish()
        self.wait_for_condition(back, "in", "HistoryDegraded", status="True", message=newer(schema + 1, schema))
        self.stop_pod()
        self.assertEqual(set_schema(ledger, schema), before)

    def uninstall(self, *options):
        self.helm("uninstall", "--wait", "--timeout", HELM, *options)
        wait_until("the pod to be gone", lambda: not self.pods())

    def volume(self):
        """The folder of the pod's claim."""
        return self.agent.claim(self.api.get(CLAIM))

    def stop_pod(self):
        self.cluster.kubectl("scale", "statefulset", RELEASE, "--replicas=0", "-n", RELEASE_NAMESPACE)
        wait_until("the pod to be gone", lambda: not self.pods())

    def remove_with_the_volume(self):
        self.uninstall("--ignore-not-found")
        self.api.delete(CLAIM)
        wait_until("the claim to be gone", lambda: not self.api.get(CLAIM))

    @only_long
    def test_uninstalling_ends_the_pod_and_leaves_its_claim(self):
        pid = self.process()
        self.uninstall()
        self.assertFalse(Path(f"/proc/{pid}").exists())
        claim, = self.api.list(path("v1", "persistentvolumeclaims", RELEASE_NAMESPACE))
        self.assertEqual((claim["metadata"]["name"], claim["status"]["phase"]), (f"store-{POD}", "Bound"))
        # Nothing asks for a webhook any more, and the next installation finds the claim.
        try_out(self.api, policy("web", metrics=[UNHEARD]))
        self.install()
        self.assertTrue(answers(self.api))


if __name__ == "__main__":
    enter_network()
    unittest.main()
