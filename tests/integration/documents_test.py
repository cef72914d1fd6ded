#!/usr/bin/env python3
"""Runs the commands of the documents, kubectl's and Ballast's own, as they stand, where the chart's pod really runs; but
not those that other tests run, or that no test can. Ballast's own ask the ledger that the pod writes."""

import json
import os
import re
import shlex
import signal
import subprocess
import unittest
from datetime import datetime, timedelta

from support.adapter import Adapter
from support.agent import enter_network
from support.api import path
from support.cluster import RELEASE, RELEASE_NAMESPACE, ROOT
from support.documents import commands
from support.objects import deployment, hpa, namespaced, policy
from support.pod_case import UNINSTALLED, PodCase
from support.process import BALLAST
from support.waiting import wait_until

# A pattern of commands, and who runs them, or why nobody does.
ELSEWHERE = {
    r"^kubectl ballast ": "plugin_test",
    r" (backup|restore) - ": "restore_test",
    r"delete pod -n ballast ballast-0$": "restore_test",
    r"get lease ballast .*\|$": "pod_values_test, as the notes have it",
    r"patch pvc|delete statefulset": "pod_values_test",
    r"delete (crd|pvc|configmap|pod|lease|-n ballast|-l)|ballast delete": "uninstall_test",
    r"pod-security": "gitops_test",
    r"create namespace ballast$": "gitops_test",
    r"^kubectl -n shop apply -f \w+\.yaml\b": "admission_test; most are refused",
    r"ballast convert >": "convert_test; it would list the annotation that other commands here have set",
    r" ballast check$": "check_test; the operator's account is denied what only others may ask",
    r"get hpa,scaledobjects": "convert_test; there is no KEDA",
    r"^ballast history .* -f$": "follow_test; it would not end",
    r"--store ballast-0\.db ": "files_history_test; there are no copies of stores here",
    r"^ballast history shop/web -o plot$": "plot_test; an HPA has that name here, too",
    r"^ballast why .* --kind hpa": "observe_test; nothing has happened to this HPA yet",
    r"^ballast autoscale .* --apply$": "commands_test; there is such a policy",
    r"^ballast completion fish": "tests/checks/shells",
    r"patch aso launch": "overrides_test; there is no such override",
    r"^ballast override end|NAMESPACE/NAME \[": "says what they are like",
    r" --store ballast.db": "the demo's own ledger",
    r"delete all --all|delete --cascade=orphan$": "says what they do, to nobody who wants that",
}
READERS = {"/backup": ".", "NS": RELEASE_NAMESPACE, "NAMESPACE": "shop", "NAME": "web"}
TIMES = {"14:00": 600, "14:30": 0, "14:05": 0, "20m": 0}  # seconds before all were evaluated
OF_LEDGER = "history|why|replay|export|backup"


class DocumentsTest(PodCase):
    DENIED = UNINSTALLED
    LOADS = {("shop", app): 50 for app in ("web", "db", "old")}
    RELEASED = ('policyRules=[{"name":"small","limits":{"maxReplicas":50}}]',)

    def setUp(self):
        super().setUp()
        self.restart()  # so that there are logs of before
        adapter = Adapter(self.cluster, {"queue": "5", "web": "1"})
        self.addCleanup(adapter.close)
        shop = self.cluster.namespace("shop")
        shop.apply(*map(deployment, ("web", "db", "old")), policy("web"), policy("db"))
        scaler = hpa("web", deployment("old"))
        shop.apply(scaler)
        self.wait_for_condition(shop, "web", "Ready", status="True")
        self.evaluated = datetime.now() + timedelta(seconds=1)  # a whole one
        self.cluster.kubectl("config", "set-context", "--current", "--namespace=shop")
        claim, = self.api.list(path("v1", "persistentvolumeclaims", RELEASE_NAMESPACE))
        self.ledger, = self.agent.claim(claim).rglob("*.db")
        for app in ("web", "db"):  # the operator gathers records for a while before it commits them
            asked = self.as_here(f"ballast why shop/{app} --at 14:30")
            wait_until(f"the ledger to have an evaluation of {app}", lambda: not self.run_(asked))
        for name, content in self.readers_files().items():
            file = self.cluster.folder / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(content))

    def restart(self):
        def restarted():
            status = self.pods()[0]["status"]["containerStatuses"][0]
            return status["restartCount"] == 1 and status["ready"]
        os.kill(self.agent.process(f"{RELEASE}-0", RELEASE), signal.SIGKILL)
        wait_until("the container to be ready again", restarted)

    @staticmethod
    def readers_files():
        in_shop = lambda object_: object_ | {"metadata": object_["metadata"] | {"namespace": "shop"}}
        golden = (ROOT / "tests/golden/1/sample.ndjson").read_text().splitlines()
        return {"deploy/web.yaml": in_shop(policy("web")), "web.yaml": in_shop(policy("web")), "changed.yaml": in_shop(policy("web", max_replicas=5)),
                "hpa.yaml": in_shop(hpa("web", deployment("old"))), "snapshots.ndjson": json.loads(golden[0])["snapshot"],
                "namespace.yaml": namespaced("v1", "Namespace", "shop")}

    def as_here(self, command):
        """The command with what this reader has in place of the document's."""
        for word, meant in READERS.items():
            command = re.sub(rf"(?<![\w-]){word}(?![\w-])", meant, command)
        for time_, ago in TIMES.items():
            command = re.sub(rf"(--\w+) {time_}\b", rf"\1 {self.evaluated - timedelta(seconds=ago):%H:%M:%S}", command)
        command = re.sub(rf"^ballast ({OF_LEDGER}) ", rf"ballast \1 --store {self.ledger} ", command)
        return re.sub(r"-n ballast(?![\w-])", f"-n {RELEASE_NAMESPACE}", command)

    def run_(self, command):
        """What went wrong; empty: nothing."""
        if " -- " in command:  # what the agent does not serve
            before, after = command.split(" -- ", 1)
            self.assertEqual(before, f"kubectl exec -n {RELEASE_NAMESPACE} {RELEASE}-0")
            try:
                self.agent.execute(f"{RELEASE}-0", RELEASE, *shlex.split(after))
                return ""
            except subprocess.CalledProcessError as failed:
                return failed.stderr or failed.stdout
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.cluster.folder, capture_output=True,
                              text=True, check=False, env=self.cluster.environment | {
                                  "PATH": f"{self.cluster.dir / 'bin'}:{os.path.dirname(BALLAST)}:{os.environ['PATH']}",
                                  "USER": "reader"})
        return done.stderr or done.stdout or f"exit status {done.returncode}" if done.returncode else ""

    def test_each_works_as_it_stands(self):
        used = set()
        for file in sorted((ROOT / "docs").glob("*.md")):
            for command in commands(file.read_text()):
                known = {pattern for pattern in ELSEWHERE if re.search(pattern, command)}
                used |= known
                if not known:
                    with self.subTest(file.name, command=command):
                        self.assertEqual(self.run_(self.as_here(command)), "")
        self.assertEqual(ELSEWHERE.keys() - used, set(), "no command is like these")


if __name__ == "__main__":
    enter_network()
    unittest.main()
