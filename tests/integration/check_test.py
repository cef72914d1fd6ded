#!/usr/bin/env python3
"""Tests `ballast check`: on an installation that works, on what can be wrong with one, and with the
rights of `helm test`."""

import json
import subprocess
import unittest

from support.api import path, path_of
from support.case import ClusterCase
from support.cluster import RELEASE, RELEASE_NAMESPACE
from support.json_texts import objects_in
from support.long_form import only_long
from support.objects import deployment, namespaced, policy
from support.process import BALLAST, ballast
from support.waiting import PATIENCE, wait_until
from support.webhook import FLAGS, answers

IMAGE = 'image.repository="registry.example.com/ballast"'
CRD = path("apiextensions.k8s.io/v1", "customresourcedefinitions", None,
           "autoscalepolicies.ballast.dev")
CHECK = f"{RELEASE}-check"
OWN = "`ballast check` is run with the operator's account too"
PATIENT = f"{2 * PATIENCE:.0f}s"
LEADER = ("--leader-elect", "--leader-elect-resource-namespace", RELEASE_NAMESPACE)


class CheckTest(ClusterCase):
    LOADS = {("shop", "web"): 50}
    VALUES = ('webhook.url="https://127.0.0.1:1"',)
    DENIED = {("get", "apiextensions.k8s.io", "customresourcedefinitions", "autoscalepolicies.ballast.dev"): OWN,
              ("get", "apiextensions.k8s.io", "customresourcedefinitions", "autoscaleoverrides.ballast.dev"): OWN,
              ("list", "admissionregistration.k8s.io", "mutatingwebhookconfigurations", ""): OWN,
              ("create", "ballast.dev", "autoscalepolicies", ""): OWN}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # What helm would create for an operator in the cluster; its pod runs at once. (The StatefulSet,
        # which has no replicas here, would delete one that is named as its own are.)
        rendered = cls.cluster.kubectl("create", "--dry-run=client", "-o", "json", "-f", "-",
                                       input_=cls.cluster.render_chart(IMAGE))
        for object_ in objects_in(rendered):
            kind, metadata = object_["kind"], object_["metadata"]
            if kind == "StatefulSet":
                pod = object_["spec"]["template"]
                pod["spec"] |= {"nodeName": "node-0"}
                pod["spec"].pop("volumes", None)
                for container in pod["spec"]["containers"]:
                    container.pop("volumeMounts", None)
                cls.api.apply({"apiVersion": "v1", "kind": "Pod", **pod, "metadata": {
                    **pod["metadata"], "name": "operator-0", "namespace": RELEASE_NAMESPACE}})
            elif metadata["name"] == CHECK and kind != "Pod":
                cls.api.apply(object_)
                cls.addClassCleanup(cls.api.delete, path_of(object_))

    def check(self, *words, kubeconfig=None):
        """The findings by name, and the exit status."""
        done = ballast("check", "-o", "json", *words, "--kubeconfig",
                       kubeconfig or self.cluster.dir / "kubeconfig")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        findings = json.loads(done.stdout)["checks"]
        return {finding["check"]: finding for finding in findings}, done.returncode

    def levels(self, findings):
        return {name: finding["level"] for name, finding in findings.items()}

    def serve(self):
        """Starts an operator whose webhook the API server calls."""
        operator = self.operator("--webhook-address", "127.0.0.1:0", *LEADER, *FLAGS).wait_ready()
        address = operator.wait_for("the webhook listens")["address"]
        self.cluster.install_chart(f'webhook.url="https://{address}"')
        wait_until("the API server to believe the webhook", lambda: answers(self.api))
        return operator

    def token_kubeconfig(self, account):
        token = self.cluster.kubectl("create", "token", account, "-n", RELEASE_NAMESPACE).strip()
        return self.cluster.operator_kubeconfig(token=token)

    def test_an_installation_that_works(self):
        self.serve()
        shop = self.cluster.namespace("shop")
        shop.apply(deployment("web"), policy("web"))
        self.wait_for_condition(shop, "web", "Ready", status="True")
        before = self.api.list(path("ballast.dev/v1alpha1", "autoscalepolicies", "default"))
        for who, kubeconfig in (("an administrator", None),
                                ("helm test", self.token_kubeconfig(CHECK))):
            with self.subTest(who):
                findings, status = self.check("-n", RELEASE_NAMESPACE, "--wait", PATIENT,
                                              kubeconfig=kubeconfig)
                self.assertEqual(status, 0, findings)
                self.assertEqual(set(self.levels(findings).values()), {"ok"}, findings)
                self.assertEqual(set(findings), {
                    "API server", "CRD", "CRD of overrides", "operator", "leader", "rights", "webhook",
                    "metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io",
                    "policies", "store"})
                self.assertIn(f"pods ready in {RELEASE_NAMESPACE}", findings["operator"]["message"])
                self.assertIn("completed and accepted", findings["webhook"]["message"])
        after = self.api.list(path("ballast.dev/v1alpha1", "autoscalepolicies", "default"))
        self.assertEqual(before, after)

        # The operator's own account may not see all, but has no failure.
        own, status = self.check(kubeconfig=self.cluster.operator_kubeconfig())
        self.assertEqual(status, 0, own)
        self.assertEqual({name for name, level in self.levels(own).items() if level != "ok"},
                         {"CRD", "CRD of overrides", "webhook"}, own)

        said = ballast("check", "--kubeconfig", self.cluster.dir / "kubeconfig").stdout.splitlines()
        self.assertRegex(said[0], r"^ok +API server +Kubernetes v1\.\d+\.\d+ answers$")
        self.assertEqual(said[-1], "0 failures, 0 warnings")

    def test_no_operator_works(self):
        self.cluster.install_chart('webhook.url="https://127.0.0.1:1"')
        lease = namespaced("coordination.k8s.io/v1", "Lease", RELEASE, spec={
            "holderIdentity": "long-gone", "leaseDurationSeconds": 15,
            "renewTime": "2020-01-01T00:00:00.000000Z"})
        lease["metadata"]["namespace"] = RELEASE_NAMESPACE
        self.api.apply(lease)
        findings, status = self.check("-n", RELEASE_NAMESPACE)
        self.assertEqual(status, 1)
        self.assertEqual(findings["leader"]["level"], "failure", findings)
        self.assertEqual(findings["webhook"]["level"], "failure", findings)
        elsewhere, status = self.check("-n", "default")
        self.assertEqual((elsewhere["operator"]["level"], status), ("failure", 1))

    @only_long
    def test_waiting_until_it_works(self):
        self.cluster.install_chart('webhook.url="https://127.0.0.1:1"')
        words = ("check", "-n", RELEASE_NAMESPACE, "--kubeconfig", self.cluster.dir / "kubeconfig")
        done = ballast(*words, "--wait", "1s")
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        with subprocess.Popen([BALLAST, *words, "--wait", PATIENT], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as check:
            self.addCleanup(check.kill)
            self.assertRegex(check.stderr.readline(), "^waiting: (leader|webhook): ")
            self.serve()
            said, _ = check.communicate()
            self.assertEqual(check.returncode, 0, said)

    def test_a_right_is_missing(self):
        role = path("rbac.authorization.k8s.io/v1", "clusterroles", None, RELEASE)
        rules = self.api.get(role)["rules"]
        self.addCleanup(self.api.merge, role, {"rules": rules})
        self.api.merge(role, {"rules": [rule for rule in rules
                                        if "deployments/scale" not in rule["resources"]]})
        expected = "may not get deployments.apps/scale, patch deployments.apps/scale"
        found = {}

        def is_missed():
            found.update(self.check()[0]["rights"])
            return expected in found["message"]
        wait_until(lambda: f"the right to be missed: {found}", is_missed)
        self.assertEqual(found["level"], "failure")

    @only_long
    def test_another_schema(self):
        properties = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"
        field = f"{properties}/syncPeriodSeconds/maximum"
        self.addCleanup(self.api.request, "PATCH", CRD, [
            {"op": "replace", "path": field, "value": 3600}], content_type="application/json-patch+json")
        self.api.request("PATCH", CRD, [{"op": "replace", "path": field, "value": 10}],
                         content_type="application/json-patch+json")
        found = self.check()[0]["CRD"]
        self.assertEqual(found["level"], "warning", found)
        self.assertIn("spec.syncPeriodSeconds.maximum: differs", found["message"])

    @only_long
    def test_nobody_is_there(self):
        kubeconfig = self.cluster.operator_kubeconfig(server="https://127.0.0.1:1")
        findings, status = self.check(kubeconfig=kubeconfig)
        self.assertEqual((self.levels(findings), status), ({"API server": "failure"}, 1))
        absent = ballast("check", "--kubeconfig", "/nowhere")
        self.assertEqual(absent.returncode, 2)
        self.assertIn("/nowhere", absent.stderr)


if __name__ == "__main__":
    unittest.main()
