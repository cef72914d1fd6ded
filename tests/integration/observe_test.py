#!/usr/bin/env python3
"""Tests that the operator records what the cluster's own controller does with HPAs."""

import unittest
from datetime import datetime, timezone

from support import upstream
from support.ledger import history, replay
from support.objects import deployment, hpa, scale_down
from support.pages import get
from support.process import ballast
from support.proxy import Rule
from support.sharing_case import SharingCase
from support.waiting import wait_until

PERIOD = 1  # of the cluster's own controller, in seconds
UP = "New size: 3; reason: cpu resource utilization (percentage of request) above target"
NAMESPACE = "observe"
AS_IT_IS = "in its controller's place, Ballast would have left it there"


class Paths(Rule):
    """Notes the paths of all requests."""

    def __init__(self):
        self.seen = []

    def before(self, request):
        self.seen.append(f"{request.method} {request.path}")


class ObserveTest(SharingCase):
    LOADS = {(NAMESPACE, app): 50 for app in ("did", "away", "mode", "shadow")}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.namespace = cls.cluster.namespace(NAMESPACE)
        token = upstream.allow(cls.cluster, [NAMESPACE])
        peer = upstream.HpaController(cls.cluster, cls.cluster.operator_kubeconfig(token=token),
                                      PERIOD)
        cls.addClassCleanup(peer.close)

    def place(self, app):
        """An HPA that its controller keeps at one replica, until the load changes."""
        self.namespace.apply(deployment(app), hpa(app, deployment(app), max_replicas=5,
                                                  behavior=scale_down(0)))

    def records(self, app):
        return history(self.store(), NAMESPACE, app)

    def changes(self, app):
        """The recorded changes of the HPA's replicas."""
        return [record for record in self.records(app) if record.from_ != record.to]

    def wait_for_changes(self, app, *expected):
        """Waits until these changes are recorded, as (from, to); returns the records."""
        wait_until(lambda: f"{expected}, not {self.records(app)}", lambda: [
            (record.from_, record.to) for record in self.changes(app)] == list(expected))
        return self.changes(app)

    def wait_for_first_record(self, app):
        wait_until(f"a first record of {app}", lambda: self.records(app))

    def wait_for_count(self, app, count):
        wait_until(f"{app} at {count}", lambda: self.namespace.replicas(deployment(app)) == count)

    def ask(self, question, app, *flags):
        return ballast(question, f"{NAMESPACE}/{app}", "--store", self.store(), *flags).stdout

    def annotate(self, app, mode):
        self.api.merge(self.namespace.path(hpa(app, deployment(app))),
                       {"metadata": {"annotations": {"ballast.dev/hpa-mode": mode}}})

    def test_what_it_did_and_why(self):
        proxy = self.make_proxy()
        paths = proxy.rule = Paths()
        self.operator(kubeconfig=self.cluster.operator_kubeconfig(proxy.server)).wait_ready()
        self.place("did")
        self.wait_for_first_record("did")
        self.load.set("did", 150)
        self.wait_for_changes("did", (1, 3))
        # The event, which has the reason, may come after the change.
        up = wait_until("its reason", lambda: next(
            (change for change in self.changes("did") if change.message == UP), None))
        self.assertEqual(up.outcome, "observed")
        self.namespace.set_scale(deployment("did"), 5)
        # It may come back in several steps, since the load spreads over more pods meanwhile.
        wait_until("the way back", lambda: [r.from_ for r in self.changes("did")][1:2] == [5]
                   and self.changes("did")[-1].to == 3)
        wait_until(lambda: f"the reason of each: {self.changes('did')}", lambda: all(
            f"New size: {change.to}; reason: " in change.message for change in self.changes("did")))
        self.assertEqual({change.outcome for change in self.changes("did")}, {"observed"})
        self.assertRegex(self.ask("history", "did"), r"3 -> 5 +by others")
        wait_until("a record of the rest", lambda: self.records("did")[-1].from_ == 3)
        now = self.ask("why", "did")
        self.assertIn("observe/did stayed at 3 replicas: ", now)
        self.assertIn("another controller decided", now)
        then = datetime.fromtimestamp(up.time + 0.001, timezone.utc).isoformat()
        self.assertIn(f"observe/did was scaled from 1 to 3 replicas by its own controller: {UP}",
                      self.ask("why", "did", "--at", then))
        self.assertEqual([path for path in paths.seen if "metrics" in path], [])
        self.assertEqual(self.cluster.scale_writes(NAMESPACE), [])

    def test_what_it_did_while_the_operator_was_away(self):
        self.place("away")
        operator = self.operator()
        operator.wait_ready()
        self.wait_for_first_record("away")
        operator.stop()
        self.load.set("away", 250)
        self.wait_for_count("away", 5)
        self.operator().wait_ready()
        change, = self.wait_for_changes("away", (1, 5))
        self.assertEqual(change.outcome, "observed")

    def test_a_shadow_decides_the_same_and_writes_nothing(self):
        self.place("shadow")
        operator = self.operator("--horizontal-pod-autoscaler-sync-period", f"{PERIOD}s",
                                 "--serve-address", "127.0.0.1:0")
        operator.wait_ready()
        address = operator.lines("serving health and metrics")[0]["address"]
        self.annotate("shadow", "shadow")
        self.addCleanup(self.annotate, "shadow", None)
        self.wait_for_first_record("shadow")
        self.load.set("shadow", 150)
        self.wait_for_count("shadow", 3)
        same = "Its controller asked for the same."
        wait_until("both to be at 3", lambda: f"had 3 replicas; {AS_IT_IS}" in self.ask(
            "why", "shadow") and same in self.ask("why", "shadow"))
        outcomes = {(record.from_, record.to, record.outcome) for record in self.records("shadow")}
        self.assertIn((1, 3, "observed"), outcomes)
        self.assertIn((3, 3, "dry-run"), outcomes)
        page = get(address, "/metrics")[1]
        self.assertRegex(page, r'ballast_shadow_decisions_total{verdict="agrees"} [1-9]')
        self.assertEqual(self.cluster.scale_writes(NAMESPACE), [])
        self.assertEqual(replay(self.store()), "")

    def test_the_annotation_counts_at_once(self):
        self.place("mode")
        self.operator("--hpa-mode", "ignore").wait_ready()
        self.annotate("mode", "observe")
        self.wait_for_first_record("mode")
        self.annotate("mode", "ignore")
        wait_until("the run to end", lambda: "so far" not in self.ask("history", "mode"))
        self.load.set("mode", 150)
        self.wait_for_count("mode", 3)
        self.assertEqual(self.changes("mode"), [])


if __name__ == "__main__":
    unittest.main()
