#!/usr/bin/env python3
"""Tests the chart with the real helm, and the rights that it grants."""

import http.client
import re
import unittest
from urllib.parse import urlsplit

from support.api import path
from support.case import ClusterCase
from support.cluster import OPERATOR_USER, RELEASE, RELEASE_NAMESPACE
from support.objects import deployment, policy
from support.process import ballast
from support.waiting import wait_until

CRD = path("apiextensions.k8s.io/v1", "customresourcedefinitions", None,
           "autoscalepolicies.ballast.dev")
# Verb, group, resource: the rights that the operator needs ...
GRANTED = [
    ("list", "ballast.dev", "autoscalepolicies"),
    ("watch", "ballast.dev", "autoscalepolicies"),
    ("patch", "ballast.dev", "autoscalepolicies/status"),
    ("watch", "ballast.dev", "autoscaleoverrides"),
    ("delete", "ballast.dev", "autoscaleoverrides"),
    ("patch", "ballast.dev", "autoscaleoverrides/status"),
    ("list", "autoscaling", "horizontalpodautoscalers"),
    ("watch", "", "pods"),
    ("watch", "apps", "deployments"),
    ("get", "apps", "replicasets"),
    ("get", "apps", "deployments/scale"),
    ("patch", "apps", "statefulsets/scale"),
    ("patch", "", "replicationcontrollers/scale"),
    ("list", "metrics.k8s.io", "pods"),
    ("list", "external.metrics.k8s.io", "anything"),
    ("get", "custom.metrics.k8s.io", "anything"),
    ("create", "events.k8s.io", "events"),
]
# ... and, in the release's own namespace and by name, the lease.
LEASE = ("coordination.k8s.io", "leases", RELEASE_NAMESPACE, RELEASE)
# Rights that a stolen token must not have.
REFUSED = [
    ("patch", "apps", "deployments"),
    ("update", "apps", "deployments"),
    ("delete", "apps", "deployments"),
    ("update", "apps", "deployments/scale"),
    ("patch", "ballast.dev", "autoscalepolicies"),
    ("create", "ballast.dev", "autoscalepolicies"),
    ("create", "ballast.dev", "autoscaleoverrides"),
    ("patch", "ballast.dev", "autoscaleoverrides"),
    ("patch", "autoscaling", "horizontalpodautoscalers"),
    ("get", "autoscaling", "horizontalpodautoscalers"),  # without a webhook
    ("get", "", "pods"),
    ("get", "metrics.k8s.io", "pods"),
    ("list", "custom.metrics.k8s.io", "anything"),
    ("get", "external.metrics.k8s.io", "anything"),
    ("get", "", "secrets"),
    ("list", "", "secrets"),
    ("get", "", "configmaps"),
    ("create", "", "pods"),
    ("delete", "", "pods"),
    ("create", "", "pods/exec"),
    ("create", "", "serviceaccounts/token"),
    ("list", "", "nodes"),
    ("get", "batch", "jobs"),
    ("get", "apiextensions.k8s.io", "customresourcedefinitions"),
    ("patch", "apiextensions.k8s.io", "customresourcedefinitions"),
    ("create", "rbac.authorization.k8s.io", "clusterrolebindings"),
    ("impersonate", "", "users"),
    ("patch", "example.com", "widgets/scale"),
]


class ChartTest(ClusterCase):
    LOADS = {("shop", "web"): 150, ("bank", "till"): 150}

    def may(self, verb, group, resource, namespace="", name=""):
        """Whether the operator has the right, as `kubectl auth can-i --as` tells."""
        resource, _, subresource = resource.partition("/")
        review = self.api.request(
            "POST", path("authorization.k8s.io/v1", "subjectaccessreviews"),
            {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
             "spec": {"user": OPERATOR_USER,
                      "groups": ["system:serviceaccounts", "system:authenticated",
                                 f"system:serviceaccounts:{RELEASE_NAMESPACE}"],
                      "resourceAttributes": {"verb": verb, "group": group, "resource": resource,
                                             "subresource": subresource,
                                             "namespace": namespace, "name": name}}})
        return review["status"]["allowed"]

    def wait_for_right(self, is_granted, *right):
        """Roles take effect a moment after helm has changed them."""
        wait_until(f"{right} to be {'granted' if is_granted else 'refused'}", lambda: self.may(*right) == is_granted)

    def test_upgrades_again_and_again(self):
        self.cluster.install_chart()
        self.cluster.install_chart('podAnnotations={"a":"b"}')
        self.cluster.install_chart()
        status = self.cluster.helm("status", RELEASE, "--namespace", RELEASE_NAMESPACE)
        self.assertIn("STATUS: deployed", status)

    def test_uninstalling_keeps_the_policies(self):
        shop = self.cluster.namespace("kept")
        shop.apply(policy("web"))
        self.cluster.helm("uninstall", RELEASE, "--namespace", RELEASE_NAMESPACE)
        self.assertIsNotNone(shop.policy("web"))
        self.cluster.install_chart()
        self.assertIsNotNone(shop.policy("web"))

    def test_explains_every_field(self):
        # The API server publishes a new kind's schema a moment after it serves the kind.
        behavior = wait_until("an explanation", lambda: self.cluster.kubectl(
            "explain", "asp.spec.behavior", check=False).stdout)
        self.assertIn("AutoScalePolicy", behavior)
        self.assertIn("scaleDown", behavior)
        self.assertNotIn("<no description>", behavior)
        self.assertGreater(len(behavior), 400, behavior)
        schema = self.api.get(CRD)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        self.assertEqual([], list(undescribed("", schema["properties"]["spec"])))

    def test_kubectl_get_shows_a_policy(self):
        shown = self.cluster.namespace("shown")
        shown.apply(policy("web", min_replicas=2, max_replicas=7, mode="DryRun"))
        head, line = self.cluster.kubectl("get", "asp", "-n", "shown").splitlines()
        self.assertEqual(head.split(), ["NAME", "KIND", "REFERENCE", "TARGETS", "MIN", "MAX",
                                        "REPLICAS", "MODE", "READY", "REASON", "AGE"])
        for text in ("web", "Deployment", " 2 ", " 7 ", "DryRun"):
            self.assertIn(text, line)
        self.assertIn("autoscalepolicy.ballast.dev/web",
                      self.cluster.kubectl("get", "all", "-n", "shown"))

    def test_the_api_server_refuses_what_cannot_be_meant(self):
        refused = self.cluster.namespace("refused")
        for field, object_ in {
            r"spec\.maxReplicas: Invalid value": policy("web", min_replicas=5, max_replicas=2),
            # Names become parts of paths.
            r"spec\.scaleTargetRef\.name: Invalid value": policy("web", deployment("..")),
            r"spec\.metrics\[0\]\.external\.metric\.name: Invalid value": policy("web", metrics=[
                {"type": "External", "external": {"metric": {"name": ".."}, "target": {
                    "type": "Value", "value": 1}}}]),
            "mode": policy("web", mode="Sometimes"),
            "podSelection": policy("web", podSelection="All"),
            "syncPeriodSeconds": policy("web", period=0),
            "target.averageValue in body should match": policy("web", metrics=[
                {"type": "Resource", "resource": {"name": "cpu", "target": {
                    "type": "AverageValue", "averageValue": "0"}}}]),
            "target.value in body should be greater than or equal to 1": policy("web", metrics=[
                {"type": "External", "external": {"metric": {"name": "q"}, "target": {
                    "type": "Value", "value": -1}}}]),
        }.items():
            with self.subTest(field), self.assertRaisesRegex(Exception, field):
                refused.apply(object_)

    def test_the_program_takes_the_charts_arguments(self):
        self.cluster.install_chart(
            "metrics.perPolicy=true",
            'operator.featureGates={"HPAScaleToZero":true,"HPAConfigurableTolerance":false}')
        self.addCleanup(self.cluster.install_chart)
        stateful_set = self.api.get(path("apps/v1", "statefulsets", RELEASE_NAMESPACE, RELEASE))
        arguments = stateful_set["spec"]["template"]["spec"]["containers"][0]["args"]
        for argument in ("--per-policy-metrics", "--feature-gates=HPAScaleToZero=true",
                         "--feature-gates=HPAConfigurableTolerance=false"):
            self.assertIn(argument, arguments)
        done = ballast(*arguments, "--kubeconfig", "/nowhere/kubeconfig")
        self.assertEqual(done.returncode, 1, done.stderr)  # wrong usage would be 2
        self.assertIn("/nowhere/kubeconfig", done.stderr)

    def test_what_becomes_of_hpas_is_a_value(self):
        registered = "name: validate.horizontalpodautoscalers.ballast.dev"
        name = "webhook.horizontalPodAutoscalers"
        for values, mode in (((), "warn"), ((f'{name}="refuse"',), "refuse"),
                             ((f'{name}="off"',), "off"), ((f"{name}=false",), "off")):
            with self.subTest(values):
                rendered = self.cluster.render_chart('image.repository="r"', *values)
                self.assertIn(f"--webhook-hpas={mode}", rendered)
                self.assertEqual(registered in rendered, mode != "off")

    def test_grants_what_is_needed_and_nothing_else(self):
        leases = [("create", *LEASE[:3]), ("get", *LEASE), ("patch", *LEASE)]
        others = [("patch", *LEASE[:3], "other"), ("list", *LEASE[:3]), ("delete", *LEASE),
                  ("create", *LEASE[:2], "default")]
        for is_granted, rights in (True, GRANTED + leases), (False, REFUSED + others):
            for right in rights:
                with self.subTest(right):
                    self.wait_for_right(is_granted, *right)

    def test_custom_owners_may_be_read_and_nothing_else(self):
        self.cluster.install_chart('customOwners=[{"group":"batch","resources":["jobs"]}]')
        self.addCleanup(self.cluster.install_chart)
        self.wait_for_right(True, "get", "batch", "jobs")
        for verb in ("list", "watch", "patch", "delete"):
            self.wait_for_right(False, verb, "batch", "jobs")

    def test_its_requests_have_a_queue_of_their_own(self):
        lease = path("coordination.k8s.io/v1", "leases", RELEASE_NAMESPACE, RELEASE)
        for schema, where in ((f"{RELEASE}-leader", lease),
                              (RELEASE, path("ballast.dev/v1alpha1", "autoscalepolicies"))):
            uid = self.api.get(path("flowcontrol.apiserver.k8s.io/v1", "flowschemas", None,
                                    schema))["metadata"]["uid"]
            wait_until(f"{where} to belong to {schema}", lambda w=where: self.flow_schema(w) == uid)

    def flow_schema(self, where):
        """The uid of the FlowSchema that the API server finds for the operator's GET of the path."""
        server = urlsplit(self.cluster.server)
        connection = http.client.HTTPSConnection(server.hostname, server.port,
                                                 context=self.api.context(self.cluster.ca))
        connection.request("GET", where, headers={"Authorization": f"Bearer {self.cluster.token()}"})
        uid = connection.getresponse().getheader("X-Kubernetes-PF-FlowSchema-UID")
        connection.close()
        return uid

    def test_scales_with_these_rights(self):
        shop = self.cluster.namespace("shop")
        shop.apply(deployment("web"), policy("web"), policy("lost"))
        operator = self.operator().wait_ready()
        wait_until("three replicas", lambda: shop.replicas(deployment("web")) == 3)
        wait_until("the event", lambda: [e for e in shop.events("web")
                                         if e["reason"] == "SuccessfulRescale"])
        wait_until("the status", lambda: re.search(
            r"(?m)^web .* 3 +Active +True +Evaluated ", self.cluster.kubectl("get", "asp", "-n", "shop")))
        wait_until("the reason", lambda: re.search(
            r"(?m)^lost .* False +FailedGetScale ", self.cluster.kubectl("get", "asp", "-n", "shop")))
        write, = self.wait_for_writes("shop", (1, 3))
        self.assertEqual(write.target, "web")
        self.assertEqual(operator.stop(), 0)
        # An old server forbids streaming lists, whoever asks.
        self.assertEqual([line for line in operator.log if "forbidden" in str(line).lower()
                          and "sendInitialEvents" not in str(line)], [])

    def test_serves_and_may_touch_the_listed_namespaces_alone(self):
        bank, other = self.cluster.namespace("bank"), self.cluster.namespace("other")
        for namespace in (bank, other):
            namespace.apply(deployment("till"), policy("till", min_replicas=2))
        self.cluster.install_chart('operator.namespaces=["bank"]')
        self.addCleanup(self.cluster.install_chart)
        self.wait_for_right(True, "patch", "apps", "deployments/scale", "bank")
        self.wait_for_right(False, "patch", "apps", "deployments/scale", "other")
        self.wait_for_right(False, "list", "", "pods", "other")
        self.operator("--namespace", "bank").wait_ready()
        wait_until("three replicas", lambda: bank.replicas(deployment("till")) == 3)
        self.assertEqual(other.replicas(deployment("till")), 1)


def undescribed(where, schema):
    """The paths of the fields that have no description for `kubectl explain`."""
    for name, field in schema.get("properties", {}).items():
        if not field.get("description"):
            yield f"{where}.{name}"
        yield from undescribed(f"{where}.{name}", field)
    if "items" in schema:
        yield from undescribed(where + "[]", schema["items"])


if __name__ == "__main__":
    unittest.main()
