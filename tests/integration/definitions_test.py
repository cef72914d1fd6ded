#!/usr/bin/env python3
"""Tests upgrades of the definition of AutoScalePolicy on a real API server, and the way back: objects
of each earlier version stay readable and writable, and so does their status. Of the memory in the status a
version keeps the fields that it knows.

`crds/` has the definitions of releases in their order, each with its commit. Until there is a release,
the one definition is of an earlier commit. Never changed: objects that were made under them exist. Add
the present one before you change it after a release."""

import gzip
import re
import unittest

from support.api import ApiError, path
from support.case import ClusterCase
from support.cluster import ROOT
from support.objects import cpu_metric, policy
from support.process import ballast
from support.waiting import wait_until

EARLIER = sorted((ROOT / "tests/integration/crds").glob("*.yaml.gz"))
OPENAPI = "/openapi/v3/apis/ballast.dev/v1alpha1"
STATUS = {
    "observedGeneration": 1, "currentReplicas": 3, "desiredReplicas": 3,
    "conditions": [{"type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale", "message": "",
                    "lastTransitionTime": "2026-11-21T19:00:00Z"}],
    "memory": {
        "recommendations": [{"value": 7, "from": "2026-11-21T19:00:00Z", "to": "2026-11-21T19:00:00Z"}],
        "scaleUps": [{"time": "2026-11-21T19:00:00Z", "change": 2}], "scaleDowns": [],
        "usedSamples": [{"metric": "Resource/cpu", "timestamp": "2026-11-21T18:59:50Z"}],
        "writer": "node-1/ballast.db", "term": 4, "noValueSince": "2026-11-23T12:00:00Z",
        "suspectSince": "2026-11-23T12:00:00Z", "target": "d1"}}


def full(name):
    """A policy with fields of every kind."""
    return policy(name, min_replicas=2, max_replicas=8, mode="DryRun", podSelection="Owned", metrics=[
        cpu_metric(60),
        {"type": "External", "external": {"metric": {"name": "depth", "selector": {"matchLabels": {"q": "a"}}},
                                          "target": {"type": "AverageValue", "averageValue": "30"}}},
    ], behavior={"scaleUp": {"stabilizationWindowSeconds": 10, "selectPolicy": "Max", "tolerance": "50m",
                             "policies": [{"type": "Pods", "value": 2, "periodSeconds": 30}]},
                 "scaleDown": {"stabilizationWindowSeconds": 60}},
        readiness={"cpuInitializationPeriodSeconds": 60, "initialReadinessDelaySeconds": 5})


class DefinitionsTest(ClusterCase):
    VALUES = None
    defined = None

    def setUp(self):
        super().setUp()
        self.memories = {}  # what is stored of STATUS's memory, by object

    def define(self, text):
        """Applies the definition, and waits until the API server goes by it."""
        before, self.defined = None if text == self.defined else self.served(), text
        file = self.cluster.folder / "crd.yaml"
        file.write_text(text)
        self.cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", file)
        # A new definition's conditions are null for a moment, which `kubectl wait` takes for an error.
        wait_until("the definition to be established", lambda: self.cluster.kubectl(
            "wait", "--for=condition=Established", "crd/autoscalepolicies.ballast.dev", check=False).returncode == 0)
        wait_until("the definition to be served", lambda: self.served() not in (None, before))

    def served(self):
        try:
            return self.api.get(OPENAPI)
        except ApiError:
            return None

    def known(self, memory):
        """Of a memory the fields that the definition has: an API server drops others."""
        schemas = self.served()["components"]["schemas"]
        status = schemas["dev.ballast.v1alpha1.AutoScalePolicy"]["properties"]["status"]
        return {field: value for field, value in memory.items()
                if field in status["properties"]["memory"]["properties"]}

    def make(self, object_):
        """Creates the object. Returns its spec with all defaults."""
        def is_made():
            try:
                self.spot.apply(object_)
                return True
            except ApiError as error:
                if error.status not in (404, 429):  # its storage is not there yet
                    raise
                return False

        wait_until("the object to be made", is_made)
        self.write_status(object_["metadata"]["name"], STATUS)
        return self.spot.policy(object_["metadata"]["name"])["spec"]

    def write_status(self, name, status):
        self.api.merge(path("ballast.dev/v1alpha1", "autoscalepolicies", "old", name, "status"), {"status": status})
        self.memories[name] = self.known(STATUS["memory"])

    def check(self, name, spec):
        """The object has this spec, and a change of its metadata and its status are taken."""
        found = self.spot.policy(name)
        self.assertEqual(found["spec"] | spec, found["spec"])
        self.assertEqual(found["status"]["memory"], self.known(self.memories[name]))
        self.api.merge(path("ballast.dev/v1alpha1", "autoscalepolicies", "old", name),
                       {"metadata": {"labels": {"seen": str(len(found["metadata"].get("labels", {})))}}})
        self.write_status(name, {"memory": STATUS["memory"], "currentReplicas": 4})
        self.assertEqual(self.spot.policy(name)["status"]["currentReplicas"], 4)

    def test_objects_of_all_earlier_versions_stay(self):
        self.spot = self.cluster.namespace("old")
        made = {}
        for file in EARLIER:
            version = re.match(r"\d+-(\w+)", file.name)[1]
            with self.subTest(f"up from {version}"):
                self.define(gzip.decompress(file.read_bytes()).decode())
                made[version] = self.make(full(version))
        self.assertTrue(made)
        self.define(ballast("crd").stdout)
        for name, spec in made.items():
            with self.subTest(f"under the present definition: {name}"):
                self.check(name, spec)
                self.spot.edit_policy(name, maxReplicas=9)
                spec["maxReplicas"] = 9
        for file in reversed(EARLIER):
            with self.subTest(f"back to {file.name}"):
                self.define(gzip.decompress(file.read_bytes()).decode())
                for name, spec in made.items():
                    self.check(name, spec)


if __name__ == "__main__":
    unittest.main()
