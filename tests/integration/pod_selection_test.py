#!/usr/bin/env python3
"""Tests which pods count for a policy: those that match the selector, or those that the target
owns."""

import unittest

from support.api import path
from support.objects import deployment, namespaced, pod_template, policy, workload
from support.process import ballast
from support.sharing_case import SharingCase
from support.waiting import wait_until

WIDGETS = 'customTargets=[{"group":"example.com","resources":["widgets"]}]'
GADGETS = 'customOwners=[{"group":"example.com","resources":["gadgets"]}]'


def bare_pod(name, app, cpu="100m", owner=None):
    """A pod without a controller, or with `owner` (an object of the cluster) as its controller."""
    template = pod_template(app, cpu)
    metadata = {"name": name, **template["metadata"]}
    if owner:
        metadata["ownerReferences"] = [reference(owner)]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def reference(owner):
    return {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True,
            "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}


class PodSelectionTest(SharingCase):
    VALUES = [WIDGETS]
    DENIED = {("get", "example.com", "gadgets", ""): "a test grants the right only after a while"}
    LOADS = {("canaries", "web"): 150, ("kits", "kit"): 80}

    def wait_for_samples(self, namespace, count):
        metrics = path("metrics.k8s.io/v1beta1", "pods", namespace.name)
        wait_until(f"{count} pods with metrics", lambda: len(self.api.list(metrics)) == count)

    def utilization(self, namespace, name):
        """The CPU utilization in percent that the policy's status shows."""
        metrics = namespace.policy(name).get("status", {}).get("currentMetrics")
        return metrics and metrics[0].get("resource", {}).get("current", {}).get(
            "averageUtilization")

    def test_look_alikes_do_not_count_for_a_policy_on_owned_pods(self):
        canaries = self.cluster.namespace("canaries")
        canary = workload("Deployment", "canary")
        canary["spec"]["template"] = pod_template("web", cpu="10m")
        for labels in (canary["spec"]["template"]["metadata"]["labels"],
                       canary["spec"]["selector"]["matchLabels"]):
            labels |= {"app": "web", "track": "canary"}
        # Three pods share the load, 50m each: exactly the target of the one that requests 100m. The
        # other two request 10m each; all three together use 125 % of their requests.
        web = deployment("web")
        canaries.apply(web, canary, bare_pod("probe", "web", cpu="10m"))
        self.wait_for_samples(canaries, 3)
        operator = self.operator("--namespace", "canaries").wait_ready()
        canaries.apply(policy("web", podSelection="Owned"))
        wait_until(lambda: f"half of the request: {canaries.policy('web')}",
                   lambda: self.utilization(canaries, "web") == 50)
        self.wait_for_condition(canaries, "web", "Ready", status="True")
        ask = lambda: ballast("why", "canaries/web", "--store", self.store()).stdout
        wait_until(lambda: f"what counted: {ask()}", lambda: (
            "1 that the target owns; 2 others match its selector and do not count" in ask()))
        self.assertEqual(self.cluster.scale_writes("canaries"), [])

        canaries.edit_policy("web", podSelection="Selector")
        wait_until("more replicas", lambda: canaries.replicas(web) > 1)
        self.assertEqual(self.wait_for_writes("canaries")[0].from_, 1)
        self.assertEqual(operator.stop(), 0)
        self.assertEqual([line for line in operator.log if "forbidden" in str(line).lower()], [])

    def test_an_owner_that_may_not_be_read_is_named_and_nothing_is_scaled(self):
        kits = self.cluster.namespace("kits")
        self.cluster.define({"Widget": "widgets", "Gadget": "gadgets"})
        widget = namespaced("example.com/v1", "Widget", "kit", spec={"fleet": {"size": 1}})
        kits.apply(widget)
        self.api.merge(kits.path(widget, "status"), {"status": {"seen": 1, "chosen": "app=kit"}})
        gadget = namespaced("example.com/v1", "Gadget", "middle")
        gadget["metadata"]["ownerReferences"] = [reference(kits.get(widget))]
        kits.apply(gadget)
        kits.apply(bare_pod("made", "kit", owner=kits.get(gadget)))
        self.wait_for_samples(kits, 1)
        kits.apply(policy("kit", widget, podSelection="Owned"))
        self.operator("--namespace", "kits").wait_ready()
        ready = self.wait_for_condition(
            kits, "kit", "Ready", status="False", reason="FailedComputeMetricsReplicas",
            message="which pods Widget kit owns cannot be determined: Gadget middle: ")
        for text in ('cannot get resource "gadgets"', "customOwners"):  # cause and remedy
            self.assertIn(text, ready["message"])
        self.assertEqual(self.cluster.scale_writes("kits"), [])

        self.cluster.install_chart(WIDGETS, GADGETS)
        self.addCleanup(self.cluster.install_chart, WIDGETS)
        self.wait_for_replicas(kits, widget, 2)
        self.wait_for_condition(kits, "kit", "Ready", status="True")


if __name__ == "__main__":
    unittest.main()
