#!/usr/bin/env python3
"""Runs twenty policies on a network that breaks every fifth call and most watches, with an operator
that is killed twice a minute: the ledger must match the API server's writes. Prints how soon the replicas
followed each swing of the load; when they must, the fault simulator's tests know in virtual time.

Takes five minutes, or thirty with BALLAST_TEST_LONG; then Kubernetes' own HPA controller runs under
the same conditions for comparison (at any length with BALLAST_PEER). BALLAST_SECONDS sets another
length, BALLAST_SEED the random seed, BALLAST_KEEP a folder for logs, swings and the ledger.
"""

import itertools
import json
import os
import random
import shutil
import time
import unittest
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from support import upstream
from support.case import ClusterCase
from support.chaos import Chaos
from support.judgement import Attempt, Write, arrivals, compare, percentile, swings, within
from support.ledger import history, seconds
from support.long_form import LONG, seed
from support.objects import deployment, hpa, policy, scale_down
from support.waiting import wait_until

LENGTH = float(os.environ.get("BALLAST_SECONDS", 1800 if LONG else 300))
PERIOD = 5
SWING = 120  # seconds from one swing of a load to the next
LOW, HIGH = 20, 1000  # mCPU; they ask for counts beyond the bounds
KILLS = (15, 45)  # seconds from one kill to the next, at least and at most


@dataclass(frozen=True)
class Workload:
    """One of the twenty targets, its bounds, and the swings of its load."""
    whose: str
    number: int

    @property
    def name(self):
        return f"{self.whose}-{self.number:02}"

    @property
    def namespace(self):
        return f"{self.whose}-{self.number % 4}"

    @property
    def target(self):
        return f"{self.namespace}/{self.name}"

    @property
    def low(self):
        return 1 + self.number % 3

    @property
    def high(self):
        return 7 + self.number % 4

    def swings(self, began):
        """Its swings as (time, is upwards), in a phase of its own; the first is upwards."""
        moments = itertools.count(began + self.number * SWING / 20, SWING)
        ups = itertools.cycle([True, False])
        return zip(itertools.takewhile(lambda at: at < began + LENGTH, moments), ups)


def workloads(whose):
    return [Workload(whose, number) for number in range(20)]


@dataclass
class Run:
    """What happened to a controller that had to follow the loads."""
    changes: list = field(default_factory=list)  # of loads: (at, target, wanted replicas)
    lives: list = field(default_factory=list)  # the processes, one after the other
    kills: int = 0
    end: float = 0.0


class BrokenNetworkTest(ClusterCase):
    LOADS = {(workload.namespace, workload.name): LOW
             for whose in ("ours", "theirs") for workload in workloads(whose)}

    def setUp(self):
        self.seed = seed()
        self.proxy = self.make_proxy()
        self.chaos = self.proxy.rule = Chaos(self.seed)
        self.addCleanup(self.chaos.stop)

    def test_the_ledger_is_true(self):
        kubeconfig = self.cluster.operator_kubeconfig(self.proxy.server)
        self.place("ours", lambda w: policy(w.name, min_replicas=w.low, max_replicas=w.high,
                                            period=PERIOD))
        run = self.live("ours", lambda: self.operator(kubeconfig=kubeconfig))
        self.chaos.stop()
        wait_until(lambda: f"the outcome of every attempt: {self.open_attempts()}",
                   lambda: not self.open_attempts())
        self.assertEqual(run.lives[-1].stop(), 0)

        attempts = [a for workload in workloads("ours") for a in self.attempts(workload)]
        writes = [Write(seconds(w.at), f"{w.namespace}/{w.target}", w.from_, w.to)
                  for w in self.cluster.scale_writes()]
        followed = arrivals(swings(run.changes, run.end), writes)
        comparison = compare(attempts, writes)
        self.keep(run, attempts, writes, followed)
        self.print_run(run, writes, followed)
        print_ledger(attempts, comparison)
        with self.subTest("the proxy saw what the API server did"):
            self.assertEqual(steps(self.chaos.writes), steps(writes))
        with self.subTest("the ledger is true"):
            self.assertEqual(comparison.wrong, [])
        with self.subTest("no count is out of bounds"):
            bounds = {w.target: range(w.low, w.high + 1) for w in workloads("ours")}
            self.assertEqual([w for w in writes if w.to not in bounds[w.target]], [])

    @unittest.skipUnless(LONG or "BALLAST_PEER" in os.environ, "takes as long again")
    def test_the_upstream_controller_beside_it(self):
        """Only prints figures, for comparison."""
        kubeconfig = self.cluster.operator_kubeconfig(self.proxy.server)
        self.proxy.token = upstream.allow(self.cluster)

        def start():
            controller = upstream.HpaController(self.cluster, kubeconfig, PERIOD)
            self.addCleanup(controller.close)
            return controller

        self.place("theirs", lambda w: hpa(w.name, deployment(w.name), w.low, w.high,
                                           behavior=scale_down(0)))
        run = self.live("theirs", start)
        print("the upstream controller:")
        self.print_run(run, self.chaos.writes,
                       arrivals(swings(run.changes, run.end), self.chaos.writes))

    # --- the run

    def place(self, whose, autoscaler):
        for workload in workloads(whose):
            self.cluster.namespace(workload.namespace).apply(
                deployment(workload.name, replicas=workload.low), autoscaler(workload))

    def live(self, whose, start):
        """Starts a controller and carries out the swings and the kills."""
        run = Run(lives=[start()])
        began = time.time()
        run.end = began + LENGTH
        todo = [(at, lambda w=workload, up=is_up: self.swing(run, w, up))
                for workload in workloads(whose) for at, is_up in workload.swings(began)]
        todo += [(at, lambda: self.kill(run)) for at in self.kills(began)]
        for at, act in [*sorted(todo, key=lambda thing: thing[0]), (run.end, lambda: None)]:
            wait_until("the moment", lambda at=at: self.has_come(at, run, start),
                       timeout=LENGTH, interval=0.02)
            act()
        return run

    def kills(self, began):
        dice = random.Random(self.seed)
        at = began
        while (at := at + dice.uniform(*KILLS)) < began + LENGTH:
            yield at

    def has_come(self, moment, run, start):
        """Whether the time is `moment` or later. Restarts an ended process, as a kubelet does."""
        if not run.lives[-1].running:
            run.lives[-1].wait()
            run.lives.append(start())
        return time.time() >= moment

    def kill(self, run):
        run.lives[-1].kill()
        run.kills += 1

    def swing(self, run, workload, is_up):
        self.load.set(workload.name, HIGH if is_up else LOW)
        run.changes.append((time.time(), workload.target,
                            workload.high if is_up else workload.low))

    # --- the results

    def attempts(self, workload):
        return [Attempt(record.time, workload.target, record.from_, record.to, record.outcome)
                for record in history(self.store(), workload.namespace, workload.name)
                if record.outcome in ("written", "failed", "unknown", "intended")]

    def open_attempts(self):
        return [a for w in workloads("ours") for a in self.attempts(w) if a.outcome == "intended"]

    def print_run(self, run, writes, followed):
        chaos = self.chaos
        broken = sum(n for fault, n in chaos.faults.items() if not fault.startswith("watch"))
        print(f"{LENGTH:.0f} s, {chaos.requests} calls, {broken} of them broken; "
              f"{run.kills} kills, {len(run.lives) - 1} restarts")
        for fault, count in sorted(chaos.faults.items()):
            print(f"  {count:6} {fault}")
        after = [arrival.after for group in within(followed, SWING) for arrival in group]
        print(f"{len(writes)} writes of a scale; {len(followed)} swings, {len(after)} of them long "
              "enough to be judged or followed; these after "
              + ", ".join(f"{percentile(after, p):.1f} s (p{p})" for p in (50, 90, 95, 99)))
        for limit in (60, SWING):
            in_time, late = within(followed, limit)
            print(f"  {len(in_time)} of {len(in_time + late)} within {limit} s")

    def keep(self, run, attempts, writes, followed):
        """Keeps what helps to find the cause of a failure, if BALLAST_KEEP is set."""
        if "BALLAST_KEEP" not in os.environ:
            return
        folder = Path(os.environ["BALLAST_KEEP"]) / str(self.seed)
        folder.mkdir(parents=True, exist_ok=True)
        self.chaos.dump(folder / "network.jsonl")
        for name, things in (("attempts", attempts), ("writes", writes)):
            dump(folder / f"{name}.jsonl", map(asdict, things))
        dump(folder / "swings.jsonl", (asdict(a.swing) | {"after": a.after} for a in followed))
        for number, life in enumerate(run.lives):
            dump(folder / f"operator-{number:02}.log", life.log)
        for file in self.store().parent.glob("ballast.db*"):
            shutil.copy(file, folder)
        print(f"kept in {folder}")


def dump(file, things):
    file.write_text("".join(json.dumps(thing) + "\n" for thing in things))


def steps(writes):
    """By target its writes as (from, to), in order."""
    result = {}
    for write in sorted(writes, key=lambda w: w.at):
        result.setdefault(write.target, []).append((write.from_, write.to))
    return result


def print_ledger(attempts, comparison):
    outcomes = Counter(attempt.outcome for attempt in attempts)
    print("the ledger: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items()))
          + f"; invented {len(comparison.invented)}, twice {len(comparison.twice)}, missing "
          f"{len(comparison.missing)}, applied and called unknown {len(comparison.unknown)}",
          flush=True)


if __name__ == "__main__":
    unittest.main()
