#!/usr/bin/env python3
"""Tests the judgement of a run on a broken network, the broken network, and what is kept of a test that fails,
and what is read of an audit log, without a cluster."""

import contextlib
import io
import math
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from support import evidence
from support.audit import AuditLog
from support.case import ClusterCase
from support.chaos import Chaos, timeout_of
from support.judgement import (Arrival, Attempt, Swing, Write, arrivals, compare, percentile, swings,
                               within)
from support.proxy import DROP, Request
from support.steps import Stage, differences


def write(at, from_, to, target="a/web"):
    return Write(at, target, from_, to)


def attempt(at, from_, to, outcome="written", target="a/web"):
    return Attempt(at, target, from_, to, outcome)


class StepsTest(unittest.TestCase):
    PERIOD, BEGAN = 5, 100
    RATE = Stage((None,), (4, 6), apart=15)
    WINDOW = Stage((None,), (2,), after=20)
    RAMP = Stage((None, None), (8,), exact=False)
    ROWS = [
        # name, stage, writes of ours and of theirs as (seconds, count), what is said
        ("the same", RATE, [(3, 4), (18, 6)], [(5, 4), (23, 6)], ""),
        ("nothing, as expected", Stage((None,)), [], [], ""),
        ("a step too few", RATE, [(3, 4)], [(5, 4), (23, 6)], "ours took the steps [4], not [4, 6]"),
        ("another count", RATE, [(3, 4), (18, 6)], [(5, 5), (23, 6)], "theirs took the steps [5, 6]"),
        ("something instead of nothing", Stage((None,)), [(1, 3)], [], "ours took the steps [3]"),
        ("later than theirs", RATE, [(3, 4), (23, 6)], [(5, 4), (20, 6)],
         "ours took the step to 6 5.0 s after its rate allowed it, theirs 0.0 s"),
        ("later, but theirs is late too", RATE, [(3, 4), (22, 6)], [(5, 4), (24, 6)], ""),
        ("against its rate", RATE, [(3, 4), (10, 6)], [(5, 4), (23, 6)],
         "ours took the step to 6 8.0 s before its rate allows it"),
        ("a window from the last look", WINDOW, [(15.5, 2)], [(24, 2)], ""),
        ("against its window", WINDOW, [(21, 2)], [(3, 2)],
         "theirs took the step to 2 17.0 s before its window allows it"),
        ("after its window", WINDOW, [(24, 2)], [(17, 2)], "4.0 s after its window allowed it"),
        ("a ramp", RAMP, [(3, 4), (8, 8)], [(5, 6), (10, 8)], ""),
        ("a ramp that turns", RAMP, [(3, 4), (8, 9), (13, 8)], [(5, 8)], "ours took the steps"),
        ("a ramp that ends elsewhere", RAMP, [(3, 7)], [(5, 8)], "ours took the steps [7]"),
    ]

    def test_all(self):
        for name, stage, ours, theirs, said in self.ROWS:
            with self.subTest(name):
                writes = {side: [write(self.BEGAN + at, None, count) for at, count in steps]
                          for side, steps in (("ours", ours), ("theirs", theirs))}
                counted = {side: [write.at for write in of] for side, of in writes.items()}
                found = differences(stage, self.PERIOD, self.BEGAN, writes, counted)
                self.assertEqual(len(found), 1 if said else 0, found)
                self.assertIn(said, "".join(found))

    def test_a_slow_write_lets_no_step_seem_early(self):
        writes = {side: [write(self.BEGAN + at, None, count) for at, count in ((7, 4), (18, 6))]
                  for side in ("ours", "theirs")}
        theirs = [self.BEGAN + 3, self.BEGAN + 18]
        for second, said in ((18, 0), (17, 1)):
            counted = {"ours": [self.BEGAN + 3, self.BEGAN + second], "theirs": theirs}
            found = differences(self.RATE, self.PERIOD, self.BEGAN, writes, counted)
            self.assertEqual(len(found), said, found)


class CompareTest(unittest.TestCase):
    ROWS = [
        # name, attempts, writes, {kind: positions of its entries}
        ("nothing", [], [], {}),
        ("one to one", [attempt(1, 2, 4), attempt(9, 4, 2)], [write(1.1, 2, 4), write(9.1, 4, 2)],
         {}),
        ("an attempt that failed", [attempt(1, 2, 4, "failed")], [], {}),
        ("an attempt that wrote nothing", [attempt(1, 2, 4)], [], {"invented": [0]}),
        ("a write that nobody decided", [], [write(1, 2, 4)], {"missing": [0]}),
        ("a write that is called failed", [attempt(1, 2, 4, "failed")], [write(1.1, 2, 4)],
         {"missing": [0]}),
        ("a write that is called unknown", [attempt(1, 2, 4, "unknown")], [write(1.1, 2, 4)],
         {"unknown": [0]}),
        ("an unknown that was none", [attempt(1, 2, 4, "unknown")], [], {}),
        ("one write counted three times",
         [attempt(1, 4, 8), attempt(6, 4, 8), attempt(11, 4, 8)], [write(1.1, 4, 8)],
         {"twice": [1, 2]}),
        ("one that was counted, undone, and invented", [attempt(1, 4, 8), attempt(9, 8, 4),
                                                        attempt(20, 4, 8)],
         [write(1.1, 4, 8), write(9.1, 8, 4)], {"invented": [2]}),
        ("a write that lands after the next decision",
         [attempt(1, 4, 8, "failed"), attempt(6, 4, 8)], [write(6.1, 4, 8)], {}),
        ("the same step again, a day later", [attempt(1, 4, 8), attempt(9, 8, 4), attempt(20, 4, 8)],
         [write(1.1, 4, 8), write(9.1, 8, 4), write(20.1, 4, 8)], {}),
        ("another count than decided", [attempt(1, 4, 8)], [write(1.1, 4, 9)],
         {"missing": [0], "invented": [0]}),
        ("a decision right after a write", [attempt(1, 5, 4), attempt(1.105, 4, 9, "failed")],
         [write(1.1, 5, 4)], {}),
        ("one decision applied twice", [attempt(1, 4, 8)], [write(1.1, 4, 8), write(1.2, 4, 8)],
         {"missing": [1]}),
        ("another target's", [attempt(1, 4, 8, target="a/other")], [write(1.1, 4, 8)],
         {"missing": [0], "invented": [0]}),
        ("a write before any decision", [attempt(2, 4, 8)], [write(1, 4, 8)],
         {"missing": [0], "invented": [0]}),
    ]

    def test_rows(self):
        for what, attempts, writes, expected in self.ROWS:
            with self.subTest(what):
                result = compare(attempts, writes)
                for kind, of in (("invented", attempts), ("twice", attempts),
                                 ("missing", writes), ("unknown", writes)):
                    self.assertEqual(getattr(result, kind),
                                     [of[i] for i in expected.get(kind, [])], kind)
                self.assertEqual(bool(result.wrong), bool(set(expected) - {"unknown"}))


class ArrivalsTest(unittest.TestCase):
    SWINGS = [Swing(100, 220, "a/web", 8), Swing(220, 340, "a/web", 2)]
    ROWS = [
        ("both at once", [write(101, 2, 8), write(222, 8, 2)], [1, 2]),
        ("in steps", [write(101, 2, 4), write(116, 4, 8), write(230, 8, 2)], [16, 10]),
        ("never there", [write(101, 2, 4), write(230, 4, 2)], [math.inf, 10]),
        ("there, and away again", [write(101, 2, 8), write(110, 8, 5)], [math.inf, math.inf]),
        ("away, and back", [write(101, 2, 8), write(110, 8, 5), write(130, 5, 8)],
         [30, math.inf]),
        ("it stayed where the swing before should have left", [write(101, 2, 8)], [1, math.inf]),
        ("only in the next swing's time", [write(230, 2, 8)], [math.inf, math.inf]),
        ("another target", [write(101, 2, 8, "a/other")], [math.inf, math.inf]),
    ]

    def test_rows(self):
        for what, writes, expected in self.ROWS:
            with self.subTest(what):
                self.assertEqual([a.after for a in arrivals(self.SWINGS, writes)], expected)

    def test_where_the_swing_before_was_missed_a_target_may_be_there_already(self):
        third = Swing(340, 460, "a/web", 8)
        self.assertEqual([a.after for a in arrivals([*self.SWINGS, third], [write(101, 2, 8)])],
                         [1, math.inf, 0])

    def test_a_swing_lasts_until_the_next_of_its_target(self):
        self.assertEqual(
            swings([(100, "a", 8), (110, "b", 9), (220, "a", 2)], 300),
            [Swing(100, 220, "a", 8), Swing(110, 300, "b", 9), Swing(220, 300, "a", 2)])

    def test_a_swing_that_was_too_short_is_not_late(self):
        long, short = Swing(0, 120, "a", 8), Swing(0, 50, "a", 8)
        in_time = [Arrival(long, 60), Arrival(short, 10)]
        late = [Arrival(long, 60.1), Arrival(long, math.inf)]
        open_ = [Arrival(short, math.inf)]
        self.assertEqual(within(in_time + late + open_, 60), (in_time, late))
        self.assertEqual(within(in_time + late + open_, 120),
                         (in_time + late[:1], late[1:]))

    def test_percentile(self):
        for percent, value in [(0, 1), (50, 2), (75, 3), (100, math.inf)]:
            self.assertEqual(percentile([3, 1, math.inf, 2], percent), value)
        self.assertTrue(math.isnan(percentile([], 50)))


class ChaosTest(unittest.TestCase):
    PATH = "/apis/apps/v1/namespaces/a/deployments/web/scale"

    def test_timeout_of(self):
        for query, seconds in [("", 60), ("?timeout=10s", 10), ("?a=b&timeout=1m30s", 90),
                               ("?timeout=500ms", 0.5), ("?timeoutSeconds=300", 60)]:
            with self.subTest(query):
                self.assertEqual(timeout_of(Request("PATCH", self.PATH + query, b"")), seconds)

    def test_a_call_whose_time_is_over_is_never_forwarded(self):
        chaos = Chaos(seed=1)
        chaos.wait = lambda delay: None
        for query, verdict in [("?timeout=10s", None), ("?timeout=0s", DROP)]:
            with self.subTest(query):
                self.assertIs(chaos.hold(Request("PATCH", self.PATH + query, b""), 5, 40), verdict)

    def test_the_share_and_the_seed(self):
        def faults(seed, **rates):
            chaos = Chaos(seed, **rates)
            chaos.wait = lambda delay: None
            for _ in range(2000):
                chaos.before(Request("GET", "/api/v1/pods", b""))
                chaos.watch(Request("GET", "/api/v1/pods?watch=true", b""))
            return chaos.faults

        found = faults(1)
        broken = sum(n for fault, n in found.items() if not fault.startswith("watch"))
        self.assertAlmostEqual(broken / 2000, 0.2, delta=0.03)
        self.assertAlmostEqual((sum(found.values()) - broken) / 2000, 0.8, delta=0.03)
        self.assertEqual(found, faults(1))
        self.assertNotEqual(found, faults(2))
        self.assertEqual(len(found), 16)  # each kind
        self.assertEqual(faults(1, calls=0, watches=0), {})

    def test_the_writes_that_were_applied(self):
        chaos = Chaos(seed=1, calls=0)
        patch = b'[{"op":"test","path":"/spec/replicas","value":4},' \
                b'{"op":"replace","path":"/spec/replicas","value":8}]'
        request = Request("PATCH", self.PATH + "?timeout=10s", patch)
        before = time.time()
        for status, body in [(422, b'{"kind":"Status"}'), (200, b'{"spec":{"replicas":8}}')]:
            self.assertIsNone(chaos.before(request))
            self.assertIsNone(chaos.after(request, status, body))
        self.assertEqual([(w.target, w.from_, w.to) for w in chaos.writes], [("a/web", 4, 8)])
        self.assertGreaterEqual(chaos.writes[0].at, before)


class EvidenceTest(unittest.TestCase):
    class Fails(ClusterCase):
        """Without a cluster; its tests leave what an operator and a control plane leave."""

        @classmethod
        def setUpClass(cls):
            folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
            cls.cluster = SimpleNamespace(folder=folder, dir=folder / "cluster", namespaces=[])
            cls._shared = []
            (cls.cluster.dir / "logs").mkdir(parents=True)
            (cls.cluster.dir / "logs/etcd.log").write_text("ready")
            (cls.cluster.dir / "audit.log").write_text("0123456789")

        def leave(self):
            self.store().write_text("small")
            self.store("large.db").write_text("0123456789")
            self._operators.append(SimpleNamespace(log=[{"msg": f"line {number}"} for number in range(100)]))

        def test_passes(self):
            self.leave()

        def test_fails(self):
            self.leave()
            self.fail()

        def test_fails_in_part(self):
            self.leave()
            with self.subTest("one of two"):
                self.fail()

    def what_is_kept(self, name, tries=1):
        """What that test of Fails leaves: {path: content}, and what it prints."""
        said = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(said), \
                mock.patch.multiple(evidence, FOLDER=folder, LIMIT=8):
            unittest.TestSuite(self.Fails(name) for _ in range(tries)).run(unittest.TestResult())
            files = [file for file in Path(folder).rglob("*") if file.is_file()]
            return {str(file.relative_to(folder)): file.read_text() for file in files}, said.getvalue()

    def test_all_of_a_test_that_fails(self):
        for name in "test_fails", "test_fails_in_part":
            with self.subTest(name):
                kept, said = self.what_is_kept(name)
                prefix = f"judgement_test.Fails.{name}/"
                self.assertEqual(set(kept), {prefix + file for file in (
                    "operator-0.log", "store/ballast.db", "control-plane/etcd.log", "audit.log")})
                self.assertIn('"line 0"', kept[prefix + "operator-0.log"])
                self.assertEqual(kept[prefix + "audit.log"], "23456789")
                self.assertNotIn("line 79", said)
                self.assertIn("line 80", said)
                self.assertIn(prefix.rstrip("/"), said)

    def test_each_try(self):
        kept, _ = self.what_is_kept("test_fails", tries=2)
        self.assertEqual({path.split("/")[0].rpartition(".")[2] for path in kept}, {"test_fails", "test_fails-2"})

    def test_nothing_of_one_that_passes(self):
        self.assertEqual(self.what_is_kept("test_passes"), ({}, ""))


class AuditLogTest(unittest.TestCase):
    def test_reads_what_is_added_once_it_is_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "audit.log"
            file.write_text('{"of": "another test"}\n')
            log, late = AuditLog(file), AuditLog(Path(folder) / "later.log")
            self.assertEqual([], late.entries())
            for added, expected in (("", []), ('{"n": 1}\n{"n"', [1]), (": 2", [1]), ('}\n{"n": 3}\n', [1, 2, 3])):
                with file.open("a") as end:
                    end.write(added)
                self.assertEqual(expected, [entry["n"] for entry in log.entries()])
            self.assertEqual([{"n": 3}], log.entries('"n"', "3"))


if __name__ == "__main__":
    unittest.main()
