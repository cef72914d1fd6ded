#!/usr/bin/env python3
"""Tests that the operator uses every right that the chart grants by default, and asks for no other:
compares the roles with the API server's audit log of an operator that does all that it can."""

import json
import tempfile
import unittest
from pathlib import Path

from support.adapter import Adapter
from support.api import path
from support.case import ClusterCase
from support.cluster import OPERATOR_USER, RELEASE, RELEASE_NAMESPACE
from support.objects import hpa, namespaced, policy, workload
from support.waiting import wait_until
from support.webhook import FLAGS, answers, refusal

KINDS = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
RBAC = "rbac.authorization.k8s.io/v1"
# Everything that the operator does, and what was decided about it.
AUDIT = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
         "rules": [{"level": "Metadata", "users": [OPERATOR_USER]}, {"level": "None"}]}

# Rights that this server leaves unused, because its watches begin with a list of their own; servers
# without WatchList need them.
UNUSED = {("list", group, resource, "") for group, resource in (
    ("", "events"), ("", "pods"), ("autoscaling", "horizontalpodautoscalers"),
    ("ballast.dev", "autoscalepolicies"))}


def granted(rules):
    """Each right of the rules: verb, group, resource, and the object's name or ""."""
    return {(verb, group, resource, name)
            for rule in rules for verb in rule["verbs"] for group in rule["apiGroups"]
            for resource in rule["resources"] for name in rule.get("resourceNames", [""])}


def allows(right, request):
    return all(allowed == asked or (index == 2 and allowed == "*") or (index == 3 and not allowed)
               for index, (allowed, asked) in enumerate(zip(right, request)))


class RightsTest(ClusterCase):
    LOADS = {("rights", kind.lower()): 150 for kind in KINDS}
    VALUES = ('webhook.url="https://127.0.0.1:1"',)

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ballast-audit-")
        cls.addClassCleanup(folder.cleanup)
        file = Path(folder.name, "policy.json")
        file.write_text(json.dumps(AUDIT))
        cls.OPTIONS = ("--flag", f"kube-apiserver=--audit-policy-file={file}")
        super().setUpClass()
        cls.adapter = Adapter(cls.cluster, {"pods/*/served": "1", "queue": "1"})
        cls.addClassCleanup(cls.adapter.close)

    def requests(self):
        """What the operator asked of the API server: {verb, group, resource, name: was it allowed?}."""
        asked = {}
        for entry in self.cluster.audit():
            if entry["user"]["username"] != OPERATOR_USER or "objectRef" not in entry:
                continue
            of = entry["objectRef"]
            resource = "/".join(filter(None, (of["resource"], of.get("subresource"))))
            asked[entry["verb"], of.get("apiGroup", ""), resource, of.get("name", "")] = (
                entry["annotations"].get("authorization.k8s.io/decision") == "allow")
        return asked

    def rights(self):
        """The rights in the roles that are bound to the operator."""
        rules = self.api.get(path(RBAC, "clusterroles", None, RELEASE))["rules"]
        for role in self.api.list(path(RBAC, "roles", RELEASE_NAMESPACE)):
            rules += role["rules"]
        return granted(rules)

    def unused(self):
        asked = self.requests()
        return {right for right in self.rights()
                if not any(allows(right, request) for request in asked)}

    def do_everything(self):
        space = self.cluster.namespace("rights")
        space.apply(namespaced("v1", "ResourceQuota", "quota", spec={"hard": {"pods": "100"}}))
        operator = self.operator(
            "--webhook-address", "127.0.0.1:0", *FLAGS, "--leader-elect",
            "--leader-elect-resource-name", RELEASE,
            "--leader-elect-resource-namespace", RELEASE_NAMESPACE).wait_ready()
        address = operator.wait_for("the webhook listens")["address"]
        self.cluster.install_chart(f'webhook.url="https://{address}"')
        wait_until("the API server to believe the webhook", lambda: answers(self.api))
        targets = [workload(kind, kind.lower()) for kind in KINDS]
        for target in targets:
            name = target["metadata"]["name"]
            space.apply(target, policy(name, target, podSelection="Owned"))
            self.wait_for_replicas(space, target, 3)
            space.set_scale(target, 5)  # who was that?
        served = {"type": "Pods", "pods": {
            "metric": {"name": "served"}, "target": {"type": "AverageValue", "averageValue": "1"}}}
        queue = {"type": "External", "external": {
            "metric": {"name": "queue"}, "target": {"type": "Value", "value": "1"}}}
        silent = workload("Deployment", "silent")  # fails again and again: an event, and its series
        space.apply(workload("Deployment", "other"), silent, policy("silent", silent),
                    policy("other", metrics=[served, queue]),
                    hpa("alone", workload("Deployment", "third")))
        for rival in (policy("rival", silent), policy("beside", workload("Deployment", "third"))):
            # Once the webhook's watches have brought the other autoscaler.
            wait_until("the rival to be refused", lambda p=rival: "already" in refusal(self.api, p, "rights"))

    def test_uses_every_right_and_asks_for_no_other(self):
        self.do_everything()
        wait_until(lambda: f"every right to be used: {sorted(self.unused())}",
                   lambda: self.unused() == UNUSED)
        denied = [request for request, allowed in self.requests().items() if not allowed]
        self.assertEqual(denied, [])


if __name__ == "__main__":
    unittest.main()
