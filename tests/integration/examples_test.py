#!/usr/bin/env python3
"""Tests that every example is valid offline, and that a real API server and operator take it."""

import copy
import itertools
import json
import sys
import time
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support.adapter import Adapter
from support.api import path
from support.cluster import ROOT, SKIPPED, Skipped
from support.long_form import LONG
from support.objects import deployment, namespaced
from support.process import ballast
from support.prometheus import Exporter, Prometheus, program
from support.sharing_case import SharingCase
from support.waiting import wait_until

EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


# What an adapter serves for the examples.
MEASURED = {"pods/*/http_requests_per_second": "50", "queue_messages_ready": "20",
            "ingresses.networking.k8s.io/api/requests_per_second": "100"}
ROLLOUTS = 'customTargets=[{"group":"argoproj.io","resources":["rollouts"]}]'
# Examples without their target, which belongs to somebody else.
TARGETLESS = {"canary", "legacy"}


class ExamplesTest(SharingCase):
    LOADS = {("examples", app): 100 for app in (
        "web", "checkout", "search", "cache", "intranet", "signup", "billing", "shopfront", "staging", "landing")}
    # The container `shop` uses 600m of the 500m that it requests, the target being 60 %; both containers together
    # would ask for more.
    LOADS[("examples", "shop")] = 2400
    VALUES = (ROLLOUTS,)

    def test_are_valid(self):
        self.assertGreaterEqual(len(EXAMPLES), 2)
        for file in EXAMPLES:
            with self.subTest(file.name):
                done = ballast("validate", "-f", file)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def refused_by_editors(self, manifest, schema="--json-schema"):
        """What the JSON schema that editors read has against the manifest, as helm finds out, which checks a chart's
        values by such a schema; empty: nothing."""
        folder = Path(self.enterContext(TemporaryDirectory()))
        (folder / "Chart.yaml").write_text("apiVersion: v2\nname: policy\nversion: 0.1.0\n")
        (folder / "values.schema.json").write_text(ballast("crd", schema).stdout)
        (folder / "values.json").write_text(json.dumps(manifest))
        done = self.cluster.helm("template", "policy", str(folder), "-f", str(folder / "values.json"), check=False)
        return done.stderr if done.returncode else ""

    def test_editors_find_what_is_wrong(self):
        policies = [manifest for file in EXAMPLES for manifest in self.cluster.manifests(file)
                    if manifest["kind"] == "AutoScalePolicy"]
        self.assertGreaterEqual(len(policies), len(EXAMPLES))
        for manifest in policies:
            with self.subTest(manifest["metadata"]["name"]):
                self.assertEqual(self.refused_by_editors(manifest), "")
        override = self.cluster.manifests(ROOT / "examples" / "override.yaml")[-1]
        self.assertEqual(self.refused_by_editors(override, "--override-json-schema"), "")
        self.assertIn("flor", self.refused_by_editors(
            override | {"spec": override["spec"] | {"flor": 3}}, "--override-json-schema"))
        for where, value, word in (
                (("kind",), "Deployment", "kind"),
                (("spec", "maxReplica"), 3, "maxReplica"),
                (("spec", "maxReplicas"), "ten", "maxReplicas"),
                (("spec", "maxReplicas"), 0, "maxReplicas"),
                (("spec", "mode"), "Sleeping", "mode"),
                (("spec", "scaleTargetRef"), {"name": "web"}, "kind"),
                (("spec", "metrics", 0, "resource", "target", "averageUtilisation"), 60, "averageUtilisation")):
            with self.subTest(where, value=value):
                wrong = copy.deepcopy(next(policy for policy in policies if policy["metadata"]["name"] == "web"))
                place = wrong
                for step in where[:-1]:
                    place = place[step]
                place[where[-1]] = value
                self.assertIn(word, self.refused_by_editors(wrong))

    def test_have_every_type_of_metric_and_every_mode(self):
        texts = " ".join(file.read_text() for file in EXAMPLES)
        for word in ("Resource", "ContainerResource", "Pods", "Object", "External", "Prometheus"):
            self.assertIn(f"- type: {word}\n", texts)
        for word in ("DryRun", "Disabled"):
            self.assertIn(f"mode: {word}", texts)

    def test_are_evaluated(self):
        space = self.cluster.namespace("examples")
        adapter = Adapter(self.cluster, MEASURED, lambda: [
            pod["metadata"]["name"] for app in ("api", "tickets") for pod in space.pods(app)],
            custom="v1beta1")
        self.addCleanup(adapter.close)
        for file in EXAMPLES:
            with self.subTest(file.name):
                self.cluster.kubectl("apply", "--server-side", "--dry-run=server",
                                     "--validate=strict", "-n", "examples", "-f", file)
                space.apply(*self.cluster.manifests(file))
        self.operator("--metric-sources", self.sources()).wait_ready()
        policies = self.api.list(path("ballast.dev/v1alpha1", "autoscalepolicies", "examples"))
        self.assertEqual(len(policies), len(EXAMPLES))
        for name in {policy["metadata"]["name"] for policy in policies} - TARGETLESS:
            with self.subTest(name):
                self.wait_for_condition(space, name, "Ready", status="True")
        for policy in self.api.list(path("ballast.dev/v1alpha1", "autoscalepolicies", "examples")):
            if "schedules" in policy["spec"]:
                self.assertIn("time", policy["status"]["schedules"]["next"], policy["metadata"]["name"])
        launch = namespaced("ballast.dev/v1alpha1", "AutoScaleOverride", "launch")
        wait_until(lambda: f"the override to be Pending: {space.get(launch)}",
                   lambda: space.get(launch).get("status", {}).get("phase") == "Pending")
        self.wait_for_replicas(space, deployment("shop"), 4)
        self.wait_for_condition(space, "canary", "Ready", reason="FailedGetScale")
        self.wait_for_condition(space, "legacy", "Ready", reason="Disabled")
        self.wait_for_replicas(space, deployment("frontend"), 2)

    def sources(self):
        """The file with the sources of examples/prometheus.yaml: a Prometheus that has 150 requests a second, in
        the long run a real one, else what it would answer."""
        server = self.prometheus() if LONG else Exporter(self.answer, "application/json")
        self.addCleanup(server.close)
        file = self.store("sources.yaml")
        file.write_text(json.dumps({"sources": [{
            "name": "main", "url": f"http://{server.address}", "namespaces": ["*"]}]}))
        return file

    def prometheus(self):
        """It scrapes 18,000 requests of two minutes."""
        turn = itertools.count()
        exporter = Exporter(lambda: 'http_requests_total{namespace="examples",service="frontend"} '
                            f"{18000 if next(turn) > 5 else 0}\n")
        self.addCleanup(exporter.close)
        return Prometheus(self.store("prometheus"), exporter.address)

    @staticmethod
    def answer():
        return json.dumps({"status": "success", "data": {"resultType": "vector", "result": [
            {"metric": {}, "value": [time.time(), "150"]}]}})


if __name__ == "__main__":
    try:
        if LONG:
            program("prometheus")
    except Skipped as why:
        print(why, file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
