#!/usr/bin/env python3
"""Tests two operators with one Lease: only the one that holds it writes."""

import contextlib
import signal
import sqlite3
import threading
import unittest

from support.api import path
from support.ledger import seconds
from support.long_form import only_long
from support.objects import deployment, policy
from support.proxy import Rule
from support.sharing_case import SharingCase
from support.waiting import PATIENCE, wait_until

DEADLINE = 10  # seconds within which a lease must be renewed
CALLS = 16  # calls that may be under way at once


class Watching(Rule):
    """Records the arriving writes, except those of the Lease; can stop the operator at a step."""

    def __init__(self):
        self.writes = []  # method and path
        self.stop_at = None  # when it sends this request: (method, parts of the path), ...
        self.stop = None  # ... this is called, and the request waits until `resume` is set
        self.stopped, self.resume = threading.Event(), threading.Event()

    def before(self, request):
        if request.method != "GET" and "/leases" not in request.path:
            self.writes.append((request.method, request.path))
        if self.stop_at and not self.stopped.is_set() and request.is_for(*self.stop_at):
            self.stop()
            self.stopped.set()
            self.resume.wait()


class Jam(Rule):
    """Answers no GET of a scale until `over` is set."""

    def __init__(self):
        self.waiting, self.over = 0, threading.Event()
        self._lock = threading.Lock()

    def before(self, request):
        if request.is_for("GET", "/scale"):
            with self._lock:
                self.waiting += 1
            self.over.wait()


class LeaderTest(SharingCase):
    LOADS = {("hand", "hand"): 150, ("pause", "pause"): 40, ("again", "again"): 150}

    def tearDown(self):
        # The next test starts with a lease that nobody holds.
        self.doCleanups()
        if self.lease():
            self.api.request("DELETE", self.lease_path())

    def lease_path(self):
        return path("coordination.k8s.io/v1", "leases", self.cluster.release_namespace, self.cluster.release)

    def lease(self):
        try:
            return self.api.get(self.lease_path())["spec"]
        except Exception:
            return None

    def candidate(self, identity, *flags, **options):
        return self.operator("--leader-elect", "--leader-elect-resource-namespace",
                             self.cluster.release_namespace, "--leader-elect-identity", identity, *flags,
                             store=self.store(identity + ".db"), **options)

    def terms(self, identity):
        """The terms in the candidate's ledger: the leader, and whether that was the candidate."""
        file = f"file:{self.store(identity + '.db')}?mode=ro"
        with contextlib.closing(sqlite3.connect(file, uri=True)) as ledger:
            return ledger.execute("SELECT leader, own FROM terms ORDER BY id").fetchall()

    def test_hands_over_when_stopped(self):
        hand = self.cluster.namespace("hand")
        hand.apply(deployment("hand"), policy("hand"))
        first = self.candidate("first").wait_ready()
        wait_until("three replicas", lambda: hand.replicas(deployment("hand")) == 3)
        second = self.candidate("second")
        second.wait_for("another replica leads", holder="first")
        self.assertEqual(second.lines("ready"), [])
        self.assertEqual(first.stop(), 0)
        # It was released, so the other need not wait until it expires.
        self.assertNotEqual(self.lease().get("holderIdentity"), "first")
        second.wait_ready()
        lease = self.lease()
        self.assertEqual((lease["holderIdentity"], lease["leaseTransitions"]), ("second", 1))
        messages = [line["msg"] for line in first.log]
        self.assertLess(messages.index("released the lease"), messages.index("stopped"))
        self.load.set("hand", 240)
        wait_until("five replicas", lambda: hand.replicas(deployment("hand")) == 5)
        wait_until("the second's term",
                   lambda: self.terms("second") == [("first", 0), ("second", 1)])
        self.assertEqual(self.terms("first"), [("first", 1)])

    @only_long
    def test_a_restart_under_the_same_identity_outwaits_no_lease(self):
        again = self.cluster.namespace("again")
        again.apply(deployment("again"), policy("again"))
        first = self.candidate("same").wait_ready()
        wait_until("three replicas", lambda: again.replicas(deployment("again")) == 3)
        first.kill()
        first.wait()
        before = self.lease()
        second = self.candidate("same").wait_ready()
        self.assertEqual(second.lines("another replica leads"), [])
        after = self.lease()  # not acquired, but renewed
        self.assertEqual(before["acquireTime"], after["acquireTime"])
        self.assertEqual(before["leaseTransitions"], after["leaseTransitions"])

    @only_long
    def test_calls_that_hang_do_not_keep_the_lease_from_renewal(self):
        self.cluster.namespace("jam").apply(*(policy(f"p{i}") for i in range(CALLS + 4)))
        proxy = self.make_proxy()
        rule = proxy.rule = Jam()
        self.addCleanup(rule.over.set)
        operator = self.candidate("jammed", "--concurrent-horizontal-pod-autoscaler-syncs",
                                  str(CALLS + 4),
                                  kubeconfig=self.cluster.operator_kubeconfig(proxy.server))
        wait_until("as many calls as there may be", lambda: rule.waiting >= CALLS)
        renewed = lambda: seconds(self.lease()["renewTime"])
        began = renewed()
        wait_until("a renewal after the deadline", lambda: renewed() > began + DEADLINE)
        # None was answered; others took the place of those that were given up.
        self.assertGreaterEqual(rule.waiting, CALLS)
        self.assertEqual(operator.lines("no longer the leader"), [])

    @only_long
    def test_whoever_was_stopped_writes_nothing_after(self):
        """SIGSTOP while it reads the metrics of a decision, until another leads."""
        pause = self.cluster.namespace("pause")
        proxy = self.make_proxy()
        pause.apply(deployment("pause"), policy("pause", window=0))
        first = self.candidate("first", kubeconfig=self.cluster.operator_kubeconfig(proxy.server))
        first.wait_ready()
        wait_until("a status", lambda: pause.policy("pause").get("status"))
        second = self.candidate("second")
        second.wait_for("another replica leads", holder="first")

        rule = proxy.rule = Watching()
        self.addCleanup(rule.resume.set)
        rule.stop = lambda: first.signal(signal.SIGSTOP)
        self.load.set("pause", 240)  # the metrics that it is about to read make it scale out
        rule.stop_at = ("GET", "/apis/metrics.k8s.io/", "/pods")
        self.assertTrue(rule.stopped.wait(PATIENCE))
        rule.writes.clear()
        rule.resume.set()  # the answer waits in its socket
        second.wait_ready()  # the first's lease is over
        wait_until("five replicas", lambda: pause.replicas(deployment("pause")) == 5)
        self.load.set("pause", 140)
        wait_until("three replicas", lambda: pause.replicas(deployment("pause")) == 3)

        first.signal(signal.SIGCONT)
        self.assertEqual(first.wait(), 1)
        self.assertEqual(rule.writes, [])
        self.assertTrue(first.lines("no longer the leader"), first.log[-5:])
        # While pods end, their usage is missing for a moment, and one replica fewer seems enough.
        wait_until("three replicas again", lambda: pause.replicas(deployment("pause")) == 3)
        self.assertEqual(self.lease()["holderIdentity"], "second")


if __name__ == "__main__":
    unittest.main()
