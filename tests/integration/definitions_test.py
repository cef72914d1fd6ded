#!/usr/bin/env python3
"""Tests upgrades of the definition of AutoScalePolicy on a real API server, and the way back: objects
of each earlier version stay readable and writable, and so does their status.

`crds/` has the definitions of earlier versions in their order, each with its commit. Never changed:
objects that were made under them exist. Add the present one before you change it after a release."""

import gzip
import re
import unittest

from support.api import ApiError, path
from support.case import ClusterCase
from support.cluster import ROOT
from support.objects import cpu_metric, policy
from support.process import ballast
from support.waiting import wait_until
from support.webhook import refusal

EARLIER = sorted((ROOT / "tests/integration/crds").glob("*.yaml.gz"))
OPENAPI = "/openapi/v3/apis/ballast.dev/v1alpha1"
# As the version of the first definition wrote it.
FIRST_STATUS = {
    "observedGeneration": 1, "currentReplicas": 3, "desiredReplicas": 3,
    "conditions": [{"type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale", "message": "",
                    "lastTransitionTime": "2026-11-21T19:00:00Z"}],
    "memory": {
        "recommendations": [{"value": 7, "from": "2026-11-21T19:00:00Z", "to": "2026-11-21T19:00:00Z"}],
        "scaleUps": [{"time": "2026-11-21T19:00:00Z", "change": 2}], "scaleDowns": [],
        "usedSamples": [{"metric": "Resource/cpu", "timestamp": "2026-11-21T18:59:50Z"}]}}
# What the present version writes into the memory beside these.
PRESENT_MEMORY = {"writer": "node-1/ballast.db", "term": 4, "noValueSince": "2026-11-23T12:00:00Z",
                  "suspectSince": "2026-11-23T12:00:00Z"}


def full(name):
    """A policy with the fields that the first definition has."""
    return policy(name, min_replicas=2, max_replicas=8, mode="DryRun", podSelection="Owned", metrics=[
        cpu_metric(60),
        {"type": "External", "external": {"metric": {"name": "depth", "selector": {"matchLabels": {"q": "a"}}},
                                          "target": {"type": "AverageValue", "averageValue": "30"}}},
    ], behavior={"scaleUp": {"stabilizationWindowSeconds": 10, "selectPolicy": "Max", "tolerance": "50m",
                             "policies": [{"type": "Pods", "value": 2, "periodSeconds": 30}]},
                 "scaleDown": {"stabilizationWindowSeconds": 60}},
        readiness={"cpuInitializationPeriodSeconds": 60, "initialReadinessDelaySeconds": 5})


def zero(name):
    """A policy that early definitions took and later ones refuse: a target of 0."""
    made = policy(name)
    made["spec"]["metrics"] = [{"type": "Pods", "pods": {
        "metric": {"name": "requests"}, "target": {"type": "AverageValue", "averageValue": "0"}}}]
    return made


class DefinitionsTest(ClusterCase):
    VALUES = None

    def define(self, text):
        """Applies the definition, and waits until the API server goes by it."""
        before = self.served()
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

    def make(self, object_):
        """Creates the object. Returns its spec with all defaults; None: the definition refuses it."""
        def status():
            try:
                self.spot.apply(object_)
                return 200
            except ApiError as error:
                return error.status if error.status not in (404, 429) else None  # its storage is not there yet

        answer = wait_until("an answer", status)
        if answer != 200:
            self.assertEqual(answer, 422)
            return None
        self.write_status(object_["metadata"]["name"], FIRST_STATUS)
        return self.spot.policy(object_["metadata"]["name"])["spec"]

    def write_status(self, name, status):
        self.api.merge(path("ballast.dev/v1alpha1", "autoscalepolicies", "old", name, "status"), {"status": status})

    def check(self, name, spec, new_memory):
        """The object has this spec, and a change of its metadata and its status are taken."""
        found = self.spot.policy(name)
        self.assertEqual(found["spec"] | spec, found["spec"])
        self.assertEqual(found["status"]["memory"] | FIRST_STATUS["memory"], found["status"]["memory"])
        self.api.merge(path("ballast.dev/v1alpha1", "autoscalepolicies", "old", name),
                       {"metadata": {"labels": {"seen": str(len(found["metadata"].get("labels", {})))}}})
        self.write_status(name, {"memory": new_memory, "currentReplicas": 4})
        self.assertEqual(self.spot.policy(name)["status"]["currentReplicas"], 4)

    def test_objects_of_all_earlier_versions_stay(self):
        self.spot = self.cluster.namespace("old")
        present = ballast("crd").stdout
        made = {}
        for file in EARLIER:
            version = re.match(r"\d+-(\w+)", file.name)[1]
            with self.subTest(f"up from {version}"):
                self.define(gzip.decompress(file.read_bytes()).decode())
                for shape in full, zero:
                    object_ = shape(f"{shape.__name__}-{version}")
                    if spec := self.make(object_):
                        made[object_["metadata"]["name"]] = spec
        zeros = [name for name in made if name.startswith("zero")]
        self.assertEqual(len(made) - len(zeros), len(EARLIER))
        self.assertIn(f"zero-{re.match('[0-9]+-(.*?)[.]', EARLIER[0].name)[1]}", zeros)
        self.define(present)
        # The definition is served a moment before objects are checked by it.
        wait_until("a target of 0 to be refused", lambda: "averageValue" in refusal(self.api, zero("zero-now"), "old"))
        for name, spec in made.items():
            with self.subTest(f"under the present definition: {name}"):
                self.check(name, spec, PRESENT_MEMORY)
                self.assertEqual(self.spot.policy(name)["status"]["memory"] | PRESENT_MEMORY,
                                 self.spot.policy(name)["status"]["memory"])
                if name.startswith("full"):  # also every field of its spec
                    self.spot.edit_policy(name, maxReplicas=9)
                    spec["maxReplicas"] = 9
                else:
                    with self.assertRaises(ApiError):
                        self.spot.edit_policy(name, metrics=zero("x")["spec"]["metrics"] * 2)
        for file in reversed(EARLIER):
            with self.subTest(f"back to {file.name}"):
                self.define(gzip.decompress(file.read_bytes()).decode())
                for name, spec in made.items():
                    self.check(name, spec, FIRST_STATUS["memory"] | PRESENT_MEMORY)


if __name__ == "__main__":
    unittest.main()
