"""What a stair of loads must lead to, and how the steps that two controllers took differ from it.
Pure; tests/integration/judgement_test.py tests it."""

from dataclasses import dataclass, field

# Seconds by which a machine under load may delay a write whose moment is known.
SLACK = 2.0
ROUNDING = 0.001  # of the difference of two times


@dataclass(frozen=True)
class Stage:
    """One step of a stair: what is done to each twin (`acts`, functions of a Twin), and all counts
    that this must lead to, in order.

    The first count is released `after` so many seconds, by a window, and each further one `apart`
    so many seconds after the one before, by a rate; 0: at the next turn. Several acts follow each
    other a second apart."""
    acts: tuple
    counts: tuple = ()
    after: float = 0
    apart: float = 0
    lasts: int = 3  # periods, at least
    conditions: tuple = ()  # of both HPAs at the end, as TYPE=STATUS
    # If not, as on ramps, only the last count is given, and all steps have the same direction: what
    # comes between depends on the moment in which a controller looks.
    exact: bool = True


@dataclass(frozen=True)
class Case:
    """A workload, its HPA, and the stair. At the beginning nothing may have to be scaled."""
    name: str  # part of the names of its objects
    stages: tuple
    start: int = 1  # replicas
    load: int = 0  # mCPU
    memory: int = 0  # MiB
    metric: str | None = None  # the value of the external metric NAME; None: there is none
    kind: str = "Deployment"
    pod: dict = field(default_factory=dict)  # fields of the pods' spec
    busy: str = ""  # the container that uses everything; else all share it
    hpa: dict = field(default_factory=dict)  # what support.objects.hpa takes
    long: bool = False  # only with BALLAST_TEST_LONG


def differences(stage, period, began, writes, counted):
    """How the writes of a stage, {side: [Write]}, differ from what it expects; `ours` may not be
    later than `theirs` where a window or a rate releases a step. `counted` are the moments from
    which each side counts its rates, {side: [seconds]}, one for each write: neither takes a step
    before its rate allows it, however long its writes take. Lines of text."""
    found = []
    for side, of in writes.items():
        counts = [write.to for write in of]
        if not _expected(stage, counts):
            found.append(f"{side} took the steps {counts}, not {list(stage.counts)}")
        for count, (kind, seconds) in zip(counts, _late(stage, began, counted[side])):
            # A window counts from the last evaluation before the change, up to a period earlier, and
            # two where a busy machine left one out.
            if seconds < -(2 * period + SLACK if kind == "window" else ROUNDING):
                found.append(f"{side} took the step to {count} {-seconds:.1f} s before its {kind} "
                             "allows it")
    late = {side: _late(stage, began, [write.at for write in of]) for side, of in writes.items()}
    for count, (kind, ours), (_, theirs) in zip(stage.counts, late["ours"], late["theirs"]):
        if kind != "turn" and ours > max(theirs, 0) + SLACK:
            found.append(f"ours took the step to {count} {ours:.1f} s after its {kind} allowed it, "
                         f"theirs {theirs:.1f} s")
    return found


def _expected(stage, counts):
    if stage.exact:
        return counts == list(stage.counts)
    steps = [after - before for before, after in zip(counts, counts[1:])]
    return counts[-1:] == list(stage.counts) and (
        all(step > 0 for step in steps) or all(step < 0 for step in steps))


def _late(stage, began, moments):
    """For each step, of which these are the moments: what released it, and how many seconds after
    that it came."""
    if not stage.exact:
        return []
    found = []
    for at, moment in enumerate(moments):
        wait = stage.apart if at else stage.after
        since = moments[at - 1] if at else began
        kind = "turn" if not wait else "rate" if at else "window"
        found.append((kind, moment - since - wait))
    return found
