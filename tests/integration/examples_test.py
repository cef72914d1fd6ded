#!/usr/bin/env python3
"""Tests that every example is valid offline, and that a real API server and operator take it."""

import unittest

from support.api import path
from support.case import ClusterCase
from support.cluster import ROOT
from support.objects import condition
from support.process import ballast
from support.waiting import wait_until

EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


class ExamplesTest(ClusterCase):
    LOADS = {("examples", app): 100 for app in ("web", "checkout", "search", "cache")}

    def test_are_valid(self):
        self.assertGreaterEqual(len(EXAMPLES), 2)
        for file in EXAMPLES:
            with self.subTest(file.name):
                done = ballast("validate", "-f", file)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_are_evaluated(self):
        space = self.cluster.namespace("examples")
        for file in EXAMPLES:
            with self.subTest(file.name):
                self.cluster.kubectl("apply", "--server-side", "--dry-run=server",
                                     "--validate=strict", "-n", "examples", "-f", file)
                space.apply(*self.cluster.manifests(file))
        self.operator().wait_ready()
        policies = path("ballast.dev/v1alpha1", "autoscalepolicies", "examples")
        self.assertEqual(len(self.api.list(policies)), len(EXAMPLES))
        wait_until(lambda: f"every example evaluated: {self.api.list(policies)}", lambda: all(
            condition(policy, "Ready")["status"] == "True" for policy in self.api.list(policies)))


if __name__ == "__main__":
    unittest.main()
