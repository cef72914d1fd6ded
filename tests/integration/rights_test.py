#!/usr/bin/env python3
"""Tests that the operator uses every right that the chart grants, by default and for some namespaces: compares
the roles with the API server's audit log of an operator that does all that it can. (That it asks for no other
right, every test with a cluster checks.)"""

import unittest

from support.adapter import Adapter
from support.case import ClusterCase
from support.cluster import RELEASE, RELEASE_NAMESPACE
from support.objects import hpa, namespaced, override, policy, workload
from support.proxy import Rule, status_answer
from support.rights import AFTER_A_MONTH, asked, keep, rights, unused
from support.waiting import wait_until
from support.webhook import FLAGS, answers, refusal

KINDS = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")


class RightsTest(ClusterCase):
    LOADS = {("rights", kind.lower()): 150 for kind in KINDS}
    VALUES = None
    INSTALLED = ()  # further values of the chart
    SERVED = ()  # and flags of the operator
    # Where watches begin with a list of their own, these rights stay unused.
    UNUSED = {("list", group, resource, "") for group, resource in (
        ("", "events"), ("", "pods"), ("autoscaling", "horizontalpodautoscalers"),
        ("ballast.dev", "autoscalepolicies"), ("ballast.dev", "autoscaleoverrides"))}
    UNUSED |= AFTER_A_MONTH

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.space = cls.cluster.namespace("rights")
        cls.install("127.0.0.1:1")
        cls.adapter = Adapter(cls.cluster, {"pods/*/served": "1", "queue": "1"})
        cls.addClassCleanup(cls.adapter.close)

    @classmethod
    def install(cls, address):
        cls.cluster.install_chart(f'webhook.url="https://{address}"', *cls.INSTALLED)

    def kubeconfig(self):
        return self.cluster.operator_kubeconfig()

    def unused(self):
        return unused(rights(self.api), asked(self.cluster))

    def do_everything(self):
        space = self.space
        space.apply(namespaced("v1", "ResourceQuota", "quota", spec={"hard": {"pods": "100"}}))
        operator = self.operator(
            *self.SERVED, "--webhook-address", "127.0.0.1:0", *FLAGS, "--leader-elect",
            "--leader-elect-resource-name", RELEASE,
            "--leader-elect-resource-namespace", RELEASE_NAMESPACE, kubeconfig=self.kubeconfig()).wait_ready()
        address = operator.wait_for("the webhook listens")["address"]
        self.install(address)
        wait_until("the API server to believe the webhook", lambda: answers(self.api, "rights"))
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
                    policy("other", metrics=[served, queue]), override("silent", hold="All"),
                    hpa("alone", workload("Deployment", "third")))
        for rival in (policy("rival", silent), policy("beside", workload("Deployment", "third"))):
            # Once the webhook's watches have brought the other autoscaler.
            wait_until("the rival to be refused", lambda p=rival: "already" in refusal(self.api, p, "rights"))

    def test_uses_every_right(self):
        keep("granted." + type(self).__name__, rights(self.api))
        self.do_everything()
        wait_until(lambda: f"every right to be used: {sorted(self.unused())}",
                   lambda: self.unused() == self.UNUSED)


class Edited(Rule):
    """Has an HPA edited right before the operator's first write of its status."""

    def __init__(self, edit):
        self.edit = edit

    def before(self, request):
        if request.is_for("PATCH", "/horizontalpodautoscalers/", "/status"):
            edit, self.edit = self.edit, lambda: None
            edit()


class ConflictRightsTest(ClusterCase):
    """That the operator may look what an HPA is by now after a conflict, also without the webhook's rights."""

    VALUES = ("webhook.enabled=false", 'operator.hpaTakeoverNamespaces=["*"]')

    def test_reads_after_a_conflict(self):
        space = self.cluster.namespace("conflict")
        web = hpa("web", workload("Deployment", "web"))
        proxy = self.make_proxy()
        proxy.rule = Edited(lambda: self.api.merge(space.path(web), {"metadata": {"annotations": {"edited": "yes"}}}))
        self.operator("--hpa-mode", "manage", "--hpa-takeover-namespace", "conflict",
                      kubeconfig=self.cluster.operator_kubeconfig(proxy.server)).wait_ready()
        space.apply(workload("Deployment", "web"), web)
        read = ("get", "autoscaling", "horizontalpodautoscalers", "web")
        wait_until(lambda: f"it to be read: {asked(self.cluster)}", lambda: asked(self.cluster).get(read))


class WithoutStreams(Rule):
    """Makes the server seem to be without WatchList."""

    def before(self, request):
        if "sendInitialEvents" in request.path:
            return status_answer(422, "Invalid", "sendInitialEvents is forbidden for watch unless the WatchList "
                                 "feature gate is enabled")
        return None


class NamespacedRightsTest(RightsTest):
    """The same of an operator for one namespace, with a webhook, on a server without WatchList."""

    UNUSED = AFTER_A_MONTH
    INSTALLED = ('operator.namespaces=["rights"]',)
    SERVED = ("--namespace", "rights")

    def kubeconfig(self):
        proxy = self.make_proxy()
        proxy.rule = WithoutStreams()
        return self.cluster.operator_kubeconfig(proxy.server)


if __name__ == "__main__":
    unittest.main()
