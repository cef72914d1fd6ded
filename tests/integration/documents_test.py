#!/usr/bin/env python3
"""Runs kubectl's commands of the documents as they stand, where the chart's pod really runs; but not those that other
tests run, or that no test can."""

import os
import re
import shlex
import subprocess
import unittest

from support.agent import enter_network
from support.cluster import RELEASE, RELEASE_NAMESPACE, ROOT
from support.documents import kubectl_commands
from support.objects import deployment, hpa, policy
from support.pod_case import UNINSTALLED, PodCase

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
    r" -f \w+\.yaml\b": "sessions, with files of the reader's",
    r"ballast convert >": "convert_test; it would list the annotation that other commands here have set",
    r"external\.metrics": "there is no adapter",
    r"logs ballast-0 --previous$": "nothing has restarted",
    r" --at 20m$": "the cluster is younger",
    r" ballast check$": "check_test; the operator's account is denied what only others may ask",
    r"get hpa,scaledobjects": "there is no KEDA",
    r"kubectl debug": "needs another image",
    r"delete all --all|delete --cascade=orphan$": "says what they do, to nobody who wants that",
}
READERS = {"NS": RELEASE_NAMESPACE, "NAMESPACE": "shop", "NAME": "web"}


class DocumentsTest(PodCase):
    DENIED = UNINSTALLED
    LOADS = {("shop", app): 50 for app in ("web", "db", "old")}
    RELEASED = ('policyRules=[{"name":"small","limits":{"maxReplicas":50}}]',)

    def setUp(self):
        super().setUp()
        shop = self.cluster.namespace("shop")
        shop.apply(*map(deployment, ("web", "db", "old")), policy("web"), policy("db"))
        scaler = hpa("web", deployment("old"))
        shop.apply(scaler)
        self.wait_for_condition(shop, "web", "Ready", status="True")
        self.cluster.kubectl("config", "set-context", "--current", "--namespace=shop")

    def run_(self, command):
        """What went wrong; empty: nothing."""
        for word, meant in READERS.items():
            command = re.sub(rf"\b{word}\b", meant, command)
        command = re.sub(r"-n ballast ", f"-n {RELEASE_NAMESPACE} ", command)
        if " -- " in command:  # what the agent does not serve
            before, after = command.split(" -- ", 1)
            self.assertEqual(before, f"kubectl exec -n {RELEASE_NAMESPACE} {RELEASE}-0")
            try:
                self.agent.execute(f"{RELEASE}-0", RELEASE, *shlex.split(after))
                return ""
            except subprocess.CalledProcessError as failed:
                return failed.stderr or failed.stdout
        done = subprocess.run(["bash", "-c", command], cwd=self.cluster.folder, capture_output=True, text=True,
                              check=False, env=self.cluster.environment | {
                                  "PATH": f"{self.cluster.dir / 'bin'}:{os.environ['PATH']}", "USER": "reader"})
        return done.stderr if done.returncode else ""

    def test_each_works_as_it_stands(self):
        used = set()
        for file in sorted((ROOT / "docs").glob("*.md")):
            for command in kubectl_commands(file.read_text()):
                known = {pattern for pattern in ELSEWHERE if re.search(pattern, command)}
                used |= known
                if not known:
                    with self.subTest(file.name, command=command):
                        self.assertEqual(self.run_(command), "")
        self.assertEqual(ELSEWHERE.keys() - used, set(), "no command is like these")


if __name__ == "__main__":
    enter_network()
    unittest.main()
