#!/usr/bin/env python3
"""Loses the leader in each way there is: another replica goes on, not before the lease is over, and the former leader, back
again, writes nothing."""

import signal
import unittest

from support.api import path
from support.case import ClusterCase
from support.cluster import RELEASE, RELEASE_NAMESPACE
from support.ledger import history, seconds
from support.objects import POLICY, deployment, policy
from support.proxy import Rule
from support.waiting import wait_until

LEASE = path("coordination.k8s.io/v1", "leases", RELEASE_NAMESPACE, RELEASE)
LEASE_DURATION = 15  # seconds, by default


class Applied(Rule):
    """Records the writes that the server takes once another leads, except those of the Lease. One
    that it took before, of which only the answer is late, is not among them."""

    def __init__(self):
        self.other_leads = False
        self.writes = []

    def before(self, request):
        request.fault = self.other_leads

    def after(self, request, status, body):
        write = request.method != "GET" and status < 400 and "/leases/" not in request.path
        if write and request.fault:
            self.writes.append(f"{request.method} {request.path}")


class FailoverTest(ClusterCase):
    WAYS = "killed", "stopped", "frozen", "gone"
    LOADS = {(way, way): 150 for way in WAYS}

    def tearDown(self):
        # The next test starts with a lease that nobody holds, and has no policy but its own.
        self.doCleanups()
        self.api.delete(LEASE)
        self.api.delete(path(POLICY, "autoscalepolicies", self.way, self.way))

    def candidate(self, identity, kubeconfig=None):
        return self.operator("--leader-elect", "--leader-elect-resource-namespace",
                             RELEASE_NAMESPACE, "--leader-elect-identity", identity,
                             kubeconfig=kubeconfig, store=self.store(f"{identity}.db"))

    def fail_over(self, way, lose):
        """Starts a leader of a policy, calls lose(leader, proxy), and waits until another replica has
        taken over. Returns the former leader and its proxy."""
        self.way = way
        namespace = self.cluster.namespace(way)
        namespace.apply(deployment(way), policy(way))
        proxy = self.make_proxy()
        first = self.candidate("first", self.cluster.operator_kubeconfig(proxy.server)).wait_ready()
        self.wait_for_replicas(namespace, deployment(way), 3)
        second = self.candidate("second")
        second.wait_for("another replica leads", holder="first")
        proxy.rule = Applied()

        lose(first, proxy)
        renewed = self.api.get(LEASE)["spec"]
        self.assertEqual(renewed["holderIdentity"], "first")
        self.load.set(way, 240)
        self.wait_for_replicas(namespace, deployment(way), 5)
        wait_until("the record", lambda: history(self.store("second.db"), way, way))
        evaluated = min(r.time for r in history(self.store("second.db"), way, way))
        took = evaluated - seconds(renewed["renewTime"])
        print(f"{way}: the other's first evaluation began {took:.1f} s after the last renewal")
        self.assertGreaterEqual(took, LEASE_DURATION)
        # From now on, a status that the first sent in its time is refused as outdated.
        wait_until("the other's status",
                   lambda: namespace.policy(way)["status"].get("desiredReplicas") == 5)
        proxy.rule.other_leads = True
        return first, proxy

    def assert_writes_nothing(self, first, proxy):
        """Awaits the end of a former leader that runs again."""
        self.assertEqual(first.wait(), 1)
        self.assertTrue(first.lines("no longer the leader"), first.log[-5:])
        self.assertEqual(proxy.rule.writes, [])
        self.assertEqual(self.api.get(LEASE)["spec"]["holderIdentity"], "second")

    def test_killed(self):
        self.fail_over("killed", lambda first, _: (first.kill(), first.wait()))

    def test_stopped(self):
        first, proxy = self.fail_over("stopped", lambda first, _: first.signal(signal.SIGSTOP))
        first.signal(signal.SIGCONT)
        self.assert_writes_nothing(first, proxy)

    def test_frozen_connections(self):
        """Nothing arrives any more, and nothing says so; then all that was sent arrives."""
        first, proxy = self.fail_over("frozen", lambda _, proxy: proxy.passing.clear())
        self.assertEqual(first.wait(), 1)
        proxy.passing.set()
        self.assert_writes_nothing(first, proxy)

    def test_node_gone_and_back(self):
        """Its processes stand still and its connections carry nothing, until it is back."""
        def lose(first, proxy):
            proxy.passing.clear()
            first.signal(signal.SIGSTOP)
        first, proxy = self.fail_over("gone", lose)
        proxy.passing.set()
        first.signal(signal.SIGCONT)
        self.assert_writes_nothing(first, proxy)


if __name__ == "__main__":
    unittest.main()
