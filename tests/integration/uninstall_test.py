#!/usr/bin/env python3
"""Tests what is left of an installation that has been uninstalled: what docs/install.md lists, and, once
its commands have been run, nothing; and that targets keep their replicas."""

import re
import shlex
import unittest

from support.case import ClusterCase
from support.cluster import CHART, RELEASE, RELEASE_NAMESPACE, ROOT, set_json
from support.objects import deployment, hpa, is_managed, override, policy
from support.waiting import CLAIM, wait_until
from support.webhook import FLAGS, answers

# What the cluster's own parts make and remove at any time, and what is no object of its own.
PASSING = {"events", "events.events.k8s.io", "endpoints", "endpointslices.discovery.k8s.io",
           "componentstatuses", "nodes.metrics.k8s.io", "pods.metrics.k8s.io",
           "replicasets.apps", "controllerrevisions.apps"}
EACH = '{range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name}{"\\n"}{end}'
MANAGE = {"ballast.dev/hpa-mode": "manage"}
TAKEOVER = 'operator.hpaTakeoverNamespaces=["*"]'
LEFT = {"CustomResourceDefinition//autoscalepolicies.ballast.dev",
        "CustomResourceDefinition//autoscaleoverrides.ballast.dev",
        "APIService//v1alpha1.ballast.dev",  # the API server's own, for the definition
        "AutoScalePolicy/shop/web",
        "AutoScaleOverride/shop/web-override",
        f"Lease/{RELEASE_NAMESPACE}/{RELEASE}",
        "ConfigMap/shop/ballast-hpa-memory-6",
        f"PersistentVolumeClaim/{RELEASE_NAMESPACE}/store-{RELEASE}-0",
        f"Pod/{RELEASE_NAMESPACE}/{RELEASE}-check"}


class UninstallTest(ClusterCase):
    VALUES = None
    LOADS = {("shop", "web"): 150, ("shop", "old"): 150}
    # Who lets claims go.
    OPTIONS = ("--flag", "kube-controller-manager=--controllers=persistentvolumeclaim-protection-controller")

    def objects(self):
        """KIND/NAMESPACE/NAME of every object of the cluster, except the targets' pods."""
        kinds = set(self.cluster.kubectl("api-resources", "--verbs=list", "-o", "name").split())
        told = self.cluster.kubectl("get", ",".join(sorted(kinds - PASSING)), "--all-namespaces",
                                    "-o", "jsonpath=" + EACH)
        return {line for line in told.splitlines()
                if "/kube-node-lease/" not in line and not line.startswith("Pod/shop/")}

    def commands_of_the_docs(self):
        """The words of the commands that remove what is left, as docs/install.md has them."""
        page = (ROOT / "docs/install.md").read_text().split("\n## Uninstall\n")[1]
        commands = re.findall(r"`kubectl (.+?)`", page.split("\n## ")[0])
        return [shlex.split(command.replace("NAMESPACE", "shop")
                            .replace("-n ballast ", f"-n {RELEASE_NAMESPACE} "))
                for command in commands]

    def test_leaves_what_the_docs_list(self):
        shop = self.cluster.namespace("shop")
        self.cluster.namespace(RELEASE_NAMESPACE)
        managed = hpa("old", deployment("old"), max_replicas=5)
        managed["metadata"]["annotations"] = MANAGE
        shop.apply(deployment("web"), deployment("old"), managed)
        wait_until("the targets", lambda: len(shop.pods("web")) == len(shop.pods("old")) == 1)
        made = {object_ for space in ("shop", RELEASE_NAMESPACE) for object_ in (
            f"ConfigMap/{space}/kube-root-ca.crt", f"ServiceAccount/{space}/default")}
        wait_until("what the cluster makes in each namespace", lambda: made <= self.objects())
        before = self.objects()

        self.cluster.install_chart(TAKEOVER)
        operator = self.operator(
            "--leader-elect", "--leader-elect-resource-namespace", RELEASE_NAMESPACE,
            "--hpa-takeover-namespace", "shop", "--webhook-address", "127.0.0.1:0", *FLAGS)
        address = operator.wait_for("the webhook listens")["address"]
        self.cluster.install_chart(TAKEOVER, f'webhook.url="https://{address}"')
        wait_until("the API server to believe the webhook", lambda: answers(self.api))
        shop.apply(policy("web"), override("web", floor=1))
        wait_until("the HPA to be managed", lambda: is_managed(shop.get(managed)), timeout=CLAIM)
        for target in deployment("web"), deployment("old"):
            wait_until(f"{target['metadata']['name']} at 3", lambda: shop.replicas(target) == 3)
        self.assertGreater(len(self.objects() - before), len(LEFT))
        self.assertEqual(operator.stop(), 0)
        # What only an operator in the cluster has: a claim, and what a `helm test` that fails leaves. Here
        # it fails because no node runs its pod.
        self.cluster.helm("upgrade", RELEASE, CHART, "--namespace", RELEASE_NAMESPACE,
                          *set_json((TAKEOVER, 'image.repository="ballast"')))
        tested = self.cluster.helm("test", RELEASE, "--namespace", RELEASE_NAMESPACE, "--timeout", "3s",
                                   check=False)
        self.assertNotEqual(tested.returncode, 0, tested.stdout)

        self.cluster.helm("uninstall", RELEASE, "--namespace", RELEASE_NAMESPACE)
        wait_until(lambda: f"these to be left: {LEFT}; there are {self.objects() - before}",
                   lambda: self.objects() - before == LEFT)
        self.assertEqual(before - self.objects(), set())
        for target in deployment("web"), deployment("old"):
            self.assertEqual(shop.replicas(target), 3)
        # Nothing refuses changes, of policies neither.
        shop.edit_policy("web", maxReplicas=4)

        for words in self.commands_of_the_docs():
            self.cluster.kubectl(*words)
        wait_until(lambda: f"these to be gone: {self.objects() ^ before}",
                   lambda: self.objects() == before)


if __name__ == "__main__":
    unittest.main()
