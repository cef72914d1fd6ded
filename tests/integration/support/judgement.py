"""Judges a run on a broken network: compares the ledger with the writes that the API server
applied, and finds when each swing of the load got its replicas. Pure functions over logs.

Times are seconds since 1970. A target is NAMESPACE/NAME.
"""

import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Write:
    """A change of replicas that the API server applied; `at` is when it received it."""
    at: float
    target: str
    from_: int
    to: int


@dataclass(frozen=True)
class Attempt:
    """A decision in the ledger to change replicas, and its outcome there: written, failed, unknown,
    intended."""
    at: float
    target: str
    from_: int
    to: int
    outcome: str


@dataclass
class Comparison:
    """The differences between the ledger and the writes. All except `unknown` are errors."""
    invented: list = field(default_factory=list)  # recorded as written, without a write
    twice: list = field(default_factory=list)  # further attempts that count the same write
    missing: list = field(default_factory=list)  # writes without an attempt, or with a failed one
    unknown: list = field(default_factory=list)  # writes whose attempt's outcome is unknown

    @property
    def wrong(self):
        return [f"{what}: {entry}" for what in ("invented", "twice", "missing")
                for entry in getattr(self, what)]


# All clocks are those of one machine, but times are rounded to microseconds.
ROUNDING = 0.0001


def compare(attempts, writes):
    """A write belongs to the newest attempt before it for its target, because an attempt is settled
    before the next one is decided."""
    result = Comparison()
    owners = {}  # the attempt of each write
    for write in writes:
        owner = _newest(attempts, write.target, write.at)
        if (owner is None or owner in owners.values() or owner.outcome == "failed"
                or (owner.from_, owner.to) != (write.from_, write.to)):
            result.missing.append(write)
            continue
        owners[write] = owner
        if owner.outcome != "written":
            result.unknown.append(write)
    for attempt in attempts:
        if attempt.outcome == "written" and attempt not in owners.values():
            counted = _newest(owners, attempt.target, attempt.at)
            again = counted and (counted.from_, counted.to) == (attempt.from_, attempt.to)
            (result.twice if again else result.invented).append(attempt)
    return result


def _newest(things, target, at):
    """The newest of the target's `things` at that time."""
    return max((t for t in things if t.target == target and t.at <= at + ROUNDING),
               key=lambda t: t.at, default=None)


@dataclass(frozen=True)
class Swing:
    """From `at` until `until` the load of a target needs `to` replicas."""
    at: float
    until: float
    target: str
    to: int


def swings(changes, end):
    """The swings of `changes`, (at, target, to): each lasts until its target's next or `end`."""
    result = []
    until = {}
    for at, target, to in reversed(changes):
        result.append(Swing(at, until.get(target, end), target, to))
        until[target] = at
    return result[::-1]


@dataclass(frozen=True)
class Arrival:
    swing: Swing
    after: float  # seconds; infinite if it never came


def arrivals(swings, writes):
    """When each swing's target got its count for good: the time of the write after which the count
    stayed until the swing's end. A target must begin with another count than that of its first
    swing."""
    result = []
    for swing in swings:
        changes = sorted((w for w in writes if w.target == swing.target and w.at < swing.until),
                         key=lambda w: w.at)
        since = math.inf
        for write in changes:
            if write.to != swing.to:
                since = math.inf
            elif since == math.inf:
                since = write.at
        result.append(Arrival(swing, max(0.0, since - swing.at)))
    return result


def within(arrivals_, limit):
    """The arrivals within `limit` seconds, and the late ones of swings that lasted that long."""
    in_time = [a for a in arrivals_ if a.after <= limit]
    late = [a for a in arrivals_
            if a.after > limit and a.swing.until - a.swing.at >= limit - ROUNDING]
    return in_time, late


def percentile(values, percent):
    """The percentile by nearest rank; NaN if there are no values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)] if ordered else math.nan
