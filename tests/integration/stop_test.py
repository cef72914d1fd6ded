#!/usr/bin/env python3
"""Tests SIGTERM at bad moments: the operator gives the lease up, and ends, before its grace period does."""

import signal
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from support.adapter import Adapter
from support.api import path
from support.case import ClusterCase
from support.cluster import RELEASE, RELEASE_NAMESPACE
from support.objects import deployment, policy
from support.pages import get, samples
from support.proxy import Rule
from support.waiting import PATIENCE, wait_until

LEASE = path("coordination.k8s.io/v1", "leases", RELEASE_NAMESPACE, RELEASE)
ELECTION = ("--leader-elect", "--leader-elect-resource-namespace", RELEASE_NAMESPACE)
SERIES = 1000
WORKERS = 5
DEPTH = {"type": "External", "external": {
    "metric": {"name": "depth"}, "target": {"type": "AverageValue", "averageValue": "1"}}}


class Silent(Rule):
    """Answers no request for policies."""

    def __init__(self):
        self.asked, self.over = threading.Event(), threading.Event()

    def before(self, request):
        if "/autoscalepolicies" in request.path:
            self.asked.set()
            self.over.wait()


class StopTest(ClusterCase):
    def stop(self, operator):
        """Sends SIGTERM. When the grace period ends before the operator has stopped, it exits with 1."""
        operator.signal(signal.SIGTERM)
        self.assertEqual(operator.wait(), 0)

    def holder(self):
        lease = self.api.get(LEASE)
        return lease and lease["spec"].get("holderIdentity")

    def test_under_load(self):
        adapter = Adapter(self.cluster, {})
        self.addCleanup(adapter.close)
        load, missing = self.cluster.namespace("load"), self.cluster.namespace("missing")
        waiting = [f"app{index}" for index in range(2 * WORKERS)]
        load.apply(*map(deployment, waiting), *(policy(name, metrics=[DEPTH]) for name in waiting))
        with ThreadPoolExecutor(8) as pool:  # a thousand without a target
            list(pool.map(lambda index: missing.apply(policy(f"p{index}", period=5)),
                          range(SERIES)))
        operator = self.operator("--serve-address", "127.0.0.1:0", "--log-level", "debug", *ELECTION,
                                 "--concurrent-horizontal-pod-autoscaler-syncs", str(WORKERS))
        operator.wait_ready()
        pages = operator.lines("serving health and metrics")[0]["address"]
        evaluations = lambda: sum(count for of, count in samples(
            get(pages, "/metrics")[1], "controller_runtime_reconcile_total") if of["result"] == "requeue_after")
        events = lambda: len(self.api.list(path("events.k8s.io/v1", "events", "missing")))
        wait_until(lambda: f"an event of each: {events()}", lambda: events() >= SERIES, 2 * PATIENCE)
        seen = evaluations()
        wait_until("each to be repeated", lambda: evaluations() >= seen + 2 * SERIES, 2 * PATIENCE)
        adapter.answering.clear()
        hanging = len(adapter.paths)
        wait_until("evaluations to hang", lambda: len(adapter.paths) > hanging)

        self.stop(operator)
        self.assertIsNone(self.holder())
        told = [(line["msg"], line.get("part")) for line in operator.log]
        # While evaluations hang: the next part stops when they have ended.
        self.assertLess(told.index(("released the lease", None)),
                        told.index(("a part stops", "events")))

    def test_while_it_starts(self):
        proxy = self.make_proxy()
        kubeconfig = self.cluster.operator_kubeconfig(proxy.server)
        with self.subTest("without lists"):
            rule = proxy.rule = Silent()
            self.addCleanup(rule.over.set)
            operator = self.operator(*ELECTION, kubeconfig=kubeconfig)
            self.assertTrue(rule.asked.wait(PATIENCE))
            self.stop(operator)
            rule.over.set()
        proxy.rule = Rule()
        with self.subTest("while another leads"):
            leader = self.operator(*ELECTION, store=self.store("leader.db")).wait_ready()
            operator = self.operator(*ELECTION, kubeconfig=kubeconfig)
            operator.wait_for("another replica leads")
            self.stop(operator)
            self.stop(leader)
        with self.subTest("without a server"):
            proxy.refuse()
            operator = self.operator(*ELECTION, kubeconfig=kubeconfig)
            operator.wait_for("starting")
            self.stop(operator)
        self.assertIsNone(self.holder())


if __name__ == "__main__":
    unittest.main()
