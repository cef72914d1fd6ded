#!/usr/bin/env python3
"""Tests kill -9 at five steps of a reconcile and at random moments: no scale event is lost, none is
invented, and nothing scales in too early.

The operator has no hooks for this. It talks to the API server through a proxy, which recognises the
request that marks a step and kills the operator then, before or after the server sees the request.
"""

import itertools
import random
import threading
import time
import unittest
import urllib.request

from support.ledger import (history, kept, newer, newest, replay, schema_of, seconds, seen,
                            set_schema)
from support.long_form import LONG, only_long, seed
from support.objects import condition, deployment, policy
from support.proxy import DROP, Proxy, Rule
from support.sharing_case import SharingCase
from support.waiting import PATIENCE, wait_until
from support.waiting_scalings import IN, OUT, WaitingScalings

PERIOD = 1
WINDOW = 4  # of scale-down stabilization, in seconds
RATE = 15  # the longest period of the default scaling policies; older scale events do not count
KILLS = 1000  # at random moments
FIRST = 7  # replicas: the default scaling policies let them double within RATE, which is enough for all steps


def is_scale_write(request):
    return request.is_for("PATCH", "/deployments/", "/scale")


def is_status_write(request):
    return request.is_for("PATCH", "/autoscalepolicies/", "/status")


class KillAt(Rule):
    """Kills the operator once, when it next reaches `step` ("outcome" and "status": only after a
    write of the scale).

    `killed` is set as soon as it is dead. From then on its requests get no answer."""

    def __init__(self, step, operator):
        self.step, self.operator = step, operator
        self.killed = threading.Event()
        self.scaled = False  # it has sent a write of the scale, whose status follows

    def before(self, request):
        if self.killed.is_set():
            return DROP
        if is_scale_write(request):
            self.scaled = True
        if (self.step == "gather" and request.is_for("GET", "/apis/metrics.k8s.io/", "/pods")
                or self.step == "intent" and is_scale_write(request)
                or self.step == "outcome" and self.scaled and is_status_write(request)):
            return self.kill()
        return None

    def after(self, request, status, body):
        if self.killed.is_set():
            return DROP
        if (self.step == "patch" and is_scale_write(request)
                or self.step == "status" and self.scaled and is_status_write(request)):
            return self.kill()
        return None

    def kill(self):
        self.operator.kill()
        self.operator.wait()
        self.killed.set()
        return DROP


class CrashTest(SharingCase):
    LOADS = {("crash", "web"): 50 * FIRST - 10, ("random", "web-0"): 40, ("random", "web-1"): 40,
             ("elsewhere", "out"): OUT, ("elsewhere", "in"): IN,
             ("damaged", "out-2"): OUT, ("damaged", "in-2"): IN,
             ("back", "out-3"): OUT, ("back", "in-3"): IN}
    STEPS = ["gather", "intent", "patch", "outcome", "status"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = Proxy(cls.cluster.server, cls.cluster.api.context(cls.cluster.ca))
        cls.addClassCleanup(cls.proxy.close)
        cls.kubeconfig = cls.cluster.operator_kubeconfig(cls.proxy.server)

    def setUp(self):
        self.proxy.rule = Rule()

    def start(self):
        operator = self.operator(kubeconfig=self.kubeconfig)
        operator.wait_ready()
        return operator

    def crash_at(self, step, operator):
        """Kills the operator at `step`, and starts it again."""
        rule = self.proxy.rule = KillAt(step, operator)
        wait_until(f"the step {step}", rule.killed.is_set, interval=0.01)
        self.proxy.rule = Rule()
        return self.start()

    def wait_until_evaluated(self, name):
        """Returns the time of an evaluation that began after the call."""
        called = time.time()

        def probe():
            evaluated = newest(self.store())[1].get(name, 0)
            return evaluated if evaluated >= called else None
        return wait_until(f"an evaluation of {name}", probe)

    def wait_until_settled(self, namespace, name):
        wait_until(f"no attempt of {name} to be open",
                   lambda: not history(self.store(), namespace, name).open())

    def assert_ledger_matches_audit(self, namespace, name):
        """Compares, one to one and in order, the API server's writes with those in the ledger."""
        records = history(self.store(), namespace.name, name)
        self.assertEqual(records.open(), [])
        written = records.written()
        audited = lambda: [w for w in self.cluster.scale_writes(namespace.name) if w.target == name]
        wait_until("the audit log to have all", lambda: len(audited()) >= len(written))
        audit = audited()
        self.assertEqual([(r.from_, r.to) for r in written], [(w.from_, w.to) for w in audit])
        uid = namespace.get(deployment(name))["metadata"]["uid"]
        self.assertEqual({uid}, {w.uid for w in audit} | {w.target_uid for w in audit})
        # Each write follows its decision and comes before the next one.
        for record, write, following in itertools.zip_longest(written, audit, written[1:]):
            self.assertLessEqual(record.time, seconds(write.at) + 0.01)
            if following:
                self.assertLessEqual(seconds(write.at), following.time + 0.01)
        # Each write starts from the count that the one before it left.
        self.assertEqual([w.to for w in audit[:-1]], [w.from_ for w in audit[1:]])
        return audit

    def assert_memories_are_a_chain(self, namespace, name, window):
        """Each decision knew what the one before it left, however often the operator died between
        them: the same scale events, and no recommendation that still counts is missing or older. So
        none scaled in earlier than an uninterrupted run would have."""
        self.assertEqual(replay(self.store()), "")
        decisions = kept(self.store(), namespace.name, name)
        self.assertGreater(len(decisions), 1)
        for before, after in itertools.pairwise(decisions):
            with self.subTest(before=before.now, after=after.now):
                self.assertEqual(after.before.scale_events_since(after.now - RATE),
                                 before.after.scale_events_since(after.now - RATE))
                known = after.before.since(after.now - window)
                for replicas, moment in before.after.since(after.now - window).items():
                    self.assertGreaterEqual(known.get(replicas, 0), moment, replicas)
        for i, decision in enumerate(decisions):
            if decision.to < decision.from_:
                for earlier in decisions[:i]:
                    more = earlier.after.since(decision.now - window)
                    self.assertLessEqual(max(more, default=0), decision.to, decision.now)

    def assert_newest_was_kept(self):
        """The newest evaluation on record has its readings, however soon the kill came."""
        until, evaluated = newest(self.store())
        if until:
            self.assertAlmostEqual(max(evaluated.values(), default=0), until, delta=0.002)

    def assert_readings_were_kept(self, namespace, name):
        """Each decision's metric values are on record as it saw them."""
        for decision in kept(self.store(), namespace.name, name):
            readings = seen(self.store(), namespace.name, name, decision.now)
            self.assertEqual([readings["Resource/cpu"]],
                             [percent and percent * 1000 for percent in decision.utilization])

    def test_at_each_step(self):
        crash = self.cluster.namespace("crash")
        # It scales in one by one, so that each step has a write at which to kill the operator.
        crash.apply(deployment("web", replicas=FIRST), policy(
            "web", max_replicas=30, period=PERIOD, behavior={
                "scaleUp": {"tolerance": "0.01"},
                "scaleDown": {
                    "tolerance": "0.01", "stabilizationWindowSeconds": WINDOW,
                    "policies": [{"type": "Pods", "value": 1, "periodSeconds": 1}]}}))
        operator = self.start()
        count = FIRST
        for step in self.STEPS:
            with self.subTest(step, direction="out"):
                # The load needs two more replicas; the crash comes on the way there.
                self.load.set("web", 50 * (count + 2) - 10)
                operator = self.crash_at(step, operator)
                self.wait_for_replicas(crash, deployment("web"), count + 2)
                count += 2
        self.load.set("web", 50 * (count + 1) - 10)  # it continues to scale
        count += 1
        self.wait_for_replicas(crash, deployment("web"), count)

        # What a crash leaves does not depend on the direction; a scale-in also waits for its window.
        for step in self.STEPS if LONG else ("intent", "patch"):
            with self.subTest(step, direction="in"):
                kept_at = self.wait_until_evaluated("crash/web")
                self.load.set("web", 50 * (count - 1) - 10)
                operator = self.crash_at(step, operator)
                count -= 1
                self.wait_for_replicas(crash, deployment("web"), count)
                # An answer may come before its line in the audit log.
                write = wait_until("the write in the audit log", lambda: next(
                    (write for write in self.cluster.scale_writes("crash")
                     if (write.from_, write.to) == (count + 1, count)), None))
                self.assertGreaterEqual(seconds(write.at), kept_at + WINDOW)
        self.wait_until_settled("crash", "web")
        operator.stop()
        self.assert_memories_are_a_chain(crash, "web", WINDOW)
        audit = self.assert_ledger_matches_audit(crash, "web")
        self.assertGreaterEqual(len(audit), len(self.STEPS) + 2)

    def continue_from_the_status_memory(self, spot, in_, out, restart):
        """Crashes while a scale-in waits for its window and scale-outs wait for their rate. The
        operator that `restart` starts has only the status memory to continue from. Returns that
        operator."""
        operator = self.start()
        scalings = WaitingScalings(self, spot, in_, [out])
        scalings.begin()
        operator.kill()
        operator.wait()
        operator = restart()
        operator.wait_ready()
        scalings.finish()
        return operator

    @only_long
    def test_with_an_empty_store(self):
        """A replica on another node has only the status memory to continue from."""
        self.continue_from_the_status_memory(
            self.cluster.namespace("elsewhere"), "in", "out",
            lambda: self.operator(kubeconfig=self.kubeconfig, store=self.store("empty.db")))

    @only_long
    def test_with_a_damaged_store(self):
        """The store is set aside, a new one begins from the status memory; both are reported."""
        damaged = self.cluster.namespace("damaged")
        store = self.store()

        def restart():
            for name in (store.name, store.name + "-wal"):
                with store.with_name(name).open("r+b") as file:
                    file.write(b"Z" * 8192)
            return self.operator("--serve-address", "127.0.0.1:0", kubeconfig=self.kubeconfig)

        operator = self.continue_from_the_status_memory(damaged, "in-2", "out-2", restart)
        aside = sorted(file.name for file in store.parent.glob("*.corrupt-*"))
        self.assertEqual([name.endswith("-wal") for name in aside if "-shm" not in name],
                         [False, True])
        self.assertTrue(operator.lines("the damaged store was moved aside and a new one was created",
                                       set_aside=aside[0]))
        said = condition(damaged.policy("in-2"), "HistoryDegraded")
        self.assertEqual((said["status"], said["reason"]), ("True", "DatabaseReplaced"))
        self.assertIn(aside[0], said["message"])
        wait_until("the event", lambda: "HistoryDegraded" in [e["reason"] for e in damaged.events("in-2")])
        # An outcome is on disk a moment after the write of the scale.
        wait_until("the record in the new store",
                   lambda: history(store, "damaged", "in-2").written())
        address = operator.wait_for("serving health and metrics")["address"]
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=PATIENCE) as page:
            self.assertIn("\nballast_store_replaced 1\n", page.read().decode())

    @only_long
    def test_of_a_version_with_an_older_schema(self):
        """As `helm rollback` over a change of the store's schema leaves it: the file is of a newer
        version. It is not touched, scaling goes on from the status memory, and that is reported."""
        back = self.cluster.namespace("back")
        store = self.store()
        schema = schema_of()
        before = []

        def restart():
            before.extend(set_schema(store, schema + 1))
            return self.operator(kubeconfig=self.kubeconfig)

        operator = self.continue_from_the_status_memory(back, "in-3", "out-3", restart)
        said = condition(back.policy("in-3"), "HistoryDegraded")
        self.assertEqual(said["status"], "True")
        self.assertIn(newer(schema + 1, schema), said["message"])
        operator.stop()
        # The newer version finds its history as it left it, and goes on with it.
        self.assertEqual(set_schema(store, schema), before)
        self.start()
        wait_until("the history to go on", lambda: len(set_schema(store, schema)) > len(before))
        wait_until("the condition to go", lambda: condition(
            back.policy("in-3"), "HistoryDegraded")["status"] == "")

    @only_long
    def test_at_random_moments(self):
        """Kills the operator at random moments, with two policies and random loads."""
        dice = random.Random(seed())
        spot = self.cluster.namespace("random")
        names = ["web-0", "web-1"]
        for name in names:
            spot.apply(deployment(name), policy(name, period=PERIOD, window=WINDOW))
        operator = self.start()
        for _ in range(KILLS):
            for name in names:
                self.load.set(name, 50 * dice.randint(1, 9) - 10)
            alive = dice.uniform(0, 2)
            since = time.monotonic()
            wait_until("the moment", lambda: time.monotonic() - since > alive, interval=0.01)
            operator.kill()
            operator.wait()
            self.assert_newest_was_kept()
            operator = self.start()
        for name in names:
            self.load.set(name, 240)
        for name in names:
            self.wait_for_replicas(spot, deployment(name), 5)
        for name in names:
            self.wait_until_settled("random", name)
        operator.stop()
        for name in names:
            with self.subTest(name):
                self.assert_ledger_matches_audit(spot, name)
                self.assert_memories_are_a_chain(spot, name, WINDOW)
                self.assert_readings_were_kept(spot, name)


if __name__ == "__main__":
    unittest.main()
