"""Scalings that wait while a test ends the operator. Whoever goes on with them must neither scale in
early nor write twice."""

import itertools
from collections import defaultdict

from .ledger import seconds
from .objects import condition, deployment, policy
from .waiting import wait_until

PERIOD = 1  # of the policies
IN, OUT = 190, 40  # loads to begin with, of 4 replicas and of 1
MOST = 8  # replicas of those that scale out, in the end
ROUNDING = 0.001  # of the difference of two times


def slowly_up(rate):
    """A behavior that adds one replica in each `rate` seconds."""
    return {"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": rate}]}}


class WaitingScalings:
    """A policy `in_` whose scale-in waits for its window of that many seconds, and policies `outs`
    that add one replica in each `rate` seconds. Their loads are at first IN and OUT."""

    def __init__(self, case, namespace, in_, outs, window=15, rate=10):
        self.case, self.namespace, self.in_, self.outs = case, namespace, in_, outs
        self.window, self.rate = window, rate
        self._decided = defaultdict(set)  # by name, when it was decided to add a replica

    def begin(self):
        """Returns once all wait, and the status memory says so. For while an operator runs."""
        spot, slowly = self.namespace, slowly_up(self.rate)
        spot.apply(deployment(self.in_), policy(self.in_, period=PERIOD, window=self.window))
        for out in self.outs:
            spot.apply(deployment(out), policy(out, period=PERIOD, behavior=slowly))
        self.case.wait_for_replicas(spot, deployment(self.in_), 4)
        for out in self.outs:
            self.case.load.set(out, 50 * MOST - 10)
        for out in self.outs:
            self.case.wait_for_replicas(spot, deployment(out), 2)
        self.case.load.set(self.in_, 40)
        wait_until("the scale-in to wait", lambda: condition(
            spot.policy(self.in_), "AbleToScale")["reason"] == "ScaleDownStabilized")
        self._kept_at = wait_until("what it waits for in the status memory", lambda: max(
            (seconds(told["to"]) for told in self.memory(self.in_).get("recommendations", []) if told["value"] == 4),
            default=None))
        for out in self.outs:
            wait_until("the mirror", lambda: self.look(out))

    def finish(self):
        """For once an operator is ready again: waits until all have gone on, and checks their writes.
        Returns how many seconds after four replicas were last recommended the scale-in was written."""
        case, spot = self.case, self.namespace
        ends = {self.in_: 1} | {out: min(spot.replicas(deployment(out)) + 1, MOST) for out in self.outs}
        for out in self.outs:
            wait_until(f"{out} to go on", lambda: self.look(out) and spot.replicas(deployment(out)) >= ends[out])
        case.wait_for_replicas(spot, deployment(self.in_), 1)
        wait_until("these writes in the audit log", lambda: all(
            any(write.to == end for write in self.writes(name)) for name, end in ends.items()))

        for out in self.outs:
            self.check_rate(out)
        *ups, down = self.writes(self.in_)
        case.assertEqual([up for up in ups if up.to < up.from_], [])
        case.assertEqual((down.from_, down.to), (4, 1))
        # Not before an uninterrupted run would have.
        case.assertGreaterEqual(seconds(down.at), self._kept_at + self.window)
        return seconds(down.at) - self._kept_at

    def memory(self, name):
        """The status memory."""
        return self.namespace.policy(name)["status"].get("memory", {})

    def look(self, out):
        """Notes the scale-ups in the status memory, which forgets them with time; returns whether any is known."""
        return self.note(out, self.memory(out))

    def note(self, name, memory):
        """The same for a memory that is kept elsewhere."""
        self._decided[name] |= {seconds(event["time"]) for event in memory.get("scaleUps", [])}
        return bool(self._decided[name])

    def check_rate(self, name):
        """One replica was added at a time, and none too early or twice."""
        ups = self.writes(name)
        # Each from what the one before it left.
        self.case.assertEqual([(up.from_, up.to) for up in ups], [(n, n + 1) for n in range(1, len(ups) + 1)])
        for decided, following in itertools.pairwise(sorted(self._decided[name])):
            self.case.assertGreaterEqual(following - decided, self.rate - ROUNDING)

    def writes(self, name):
        return [write for write in self.case.cluster.scale_writes(self.namespace.name)
                if write.target == name]
