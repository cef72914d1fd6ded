"""The stairs that twins climb (support.twins): loads whose steps last three periods or more, and
what else happens to a workload. Where nothing else is said, a replica may use 50m: half of what its
pod requests."""

from .cluster import KUBERNETES
from .long_form import LONG
from .objects import scale_down
from .steps import Case, Stage

PERIOD = 15 if LONG else 5  # of both controllers, in seconds
# Without a window in its behavior, an HPA waits so long before it scales in (a flag of both).
WINDOW = 300 if LONG else 3 * PERIOD
# Of both controllers and of the API server; the newest version needs none to scale to zero.
GATES = ("--feature-gates=HPAScaleToZero=true",) if KUBERNETES else ()
FLAGS = (f"--horizontal-pod-autoscaler-downscale-stabilization={WINDOW}s", *GATES)
BOUNDS = {"min_replicas": 1, "max_replicas": 10}


def usage(replicas, each=50):
    """The mCPU for which so many replicas are enough, whatever the present count: half a replica
    less than they may use."""
    return round(each * (replicas - 0.5))


def load(milli, memory=0):
    return lambda twin: twin.load(milli, memory)


def replicas_of_load(count):
    return load(usage(count))


def scale(count):
    return lambda twin: twin.scale(count)


def roll_out(cpu="100m"):
    return lambda twin: twin.roll_out(cpu)


def ready(count):
    return lambda twin: twin.ready(count)


def answer(is_answering):
    return lambda twin: twin.answer(is_answering)


def metric(value):
    return lambda twin: twin.metric(value)


def both(*acts):
    """One act that is several, at once."""
    return lambda twin: [act(twin) for act in acts]


def on(act, *counts, **rules):
    return Stage((act,), counts, **rules)


def ramp(low, high):
    """A load that changes every second for eight periods, from that for `low` replicas to that for
    `high`, and ends at the bound beyond: between the bounds, the tolerance lets it end at the count
    before, depending on the moments in which a controller looks."""
    seconds = 8 * PERIOD
    change = usage(high) - usage(low)
    return Stage(tuple(load(usage(low) + change * n // seconds) for n in range(1, seconds + 1)),
                 (min(high, BOUNDS["max_replicas"]),), exact=False)


def external(type_="AverageValue", value="10"):
    """The metrics of an HPA that looks at the external metric of its case's name alone."""
    field = "averageValue" if type_ == "AverageValue" else "value"
    return lambda name: [{"type": "External", "external": {
        "metric": {"name": name}, "target": {"type": type_, field: value}}}]


def queue(name, stages, metrics=external(), **fields):
    """A case whose HPA looks at an external metric."""
    rules = fields.pop("hpa", BOUNDS)
    return Case(name, stages, hpa=rules | {"metrics": metrics(name)}, **fields)


TWO_PODS = {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 3 * PERIOD}]}
SOON = BOUNDS | {"behavior": scale_down(0)}
HALF = {"type": "Percent", "value": 50, "periodSeconds": 3 * PERIOD}

STAIRS = (
    Case("rises", (on(replicas_of_load(3), 3), on(replicas_of_load(6), 6),
                   on(replicas_of_load(10), 10)), load=usage(1), hpa=BOUNDS),
    Case("jumps", (on(replicas_of_load(10), 4, 8, 10), on(replicas_of_load(1), 1, after=WINDOW)),
         load=usage(1), hpa=BOUNDS),
    Case("falls", (on(replicas_of_load(4), 4, after=WINDOW),
                   on(replicas_of_load(1), 1, after=WINDOW)), start=10, load=usage(10), hpa=BOUNDS),
    Case("beyond-bounds", (on(replicas_of_load(20), 6), on(load(0), 2, after=WINDOW)), start=4,
         load=usage(4), hpa={"min_replicas": 2, "max_replicas": 6}),
    Case("rates", (on(replicas_of_load(8), 4, 6, 8, apart=3 * PERIOD),
                   on(replicas_of_load(2), 6, 4, 2, after=WINDOW, apart=3 * PERIOD)),
         start=2, load=usage(2), hpa=BOUNDS | {"behavior": {
             "scaleUp": TWO_PODS,
             "scaleDown": TWO_PODS | {"stabilizationWindowSeconds": WINDOW}}}),
    Case("windows", (on(replicas_of_load(3), 3, after=4 * PERIOD),
                     on(replicas_of_load(1), 1, after=3 * PERIOD)), load=usage(1),
         hpa=BOUNDS | {"behavior": {"scaleUp": {"stabilizationWindowSeconds": 4 * PERIOD},
                                    **scale_down(3 * PERIOD)}}),
    Case("least-of-two-rates", (on(replicas_of_load(8), 3, 5, 8, apart=3 * PERIOD),), start=2,
         load=usage(2), hpa=BOUNDS | {"behavior": {"scaleUp": {
             "selectPolicy": "Min",
             "policies": [HALF, HALF | {"type": "Pods", "value": 4}]}}}),
    # Within the tolerance: 4 replicas may use 200m.
    Case("steady", (Stage(tuple(load(200 + 15 * (n % 3 - 1)) for n in range(6 * PERIOD))),),
         start=4, load=200, hpa=SOON),
    Case("outage", (on(replicas_of_load(4), 4),
                    on(both(answer(False), replicas_of_load(8))), on(answer(True), 8),
                    on(both(answer(False), replicas_of_load(2))), on(answer(True), 2)),
         start=2, load=usage(2), hpa=SOON),
    queue("queue", (on(metric("35"), 4), on(metric(None)), on(metric("75"), 8), on(metric(None)),
                    on(metric("5"), 1)), start=2, metric="15", hpa=SOON),
    # A controller may look in the midst of a rollout, when some of the pods that share the load are
    # not yet, or no longer, in its view: what it concludes then is stabilized, as in real life.
    Case("rollout", (on(roll_out()), on(both(replicas_of_load(8), roll_out()), 8, exact=False),
                     on(both(replicas_of_load(2), roll_out()), 2, after=WINDOW, exact=False)),
         start=4, load=195, hpa=BOUNDS),
    Case("no-requests", (on(roll_out(cpu=None)), on(replicas_of_load(6)),
                         on(roll_out(), 6, exact=False)), start=3, load=usage(3), hpa=BOUNDS),
    # Just what they may use: pods that are no longer ready still have that for a moment.
    Case("not-ready", (on(ready(2)), on(replicas_of_load(8), 8), on(ready(8)),
                       on(replicas_of_load(2), 2)), start=4, load=4 * 50, hpa=SOON),
    Case("zero-by-hand", (on(scale(0)), on(replicas_of_load(6)), on(scale(2), 4, 6)), start=3,
         load=usage(3), hpa=BOUNDS),
    Case("by-hand", (on(scale(1), 4), on(scale(9), 4)), start=4, load=usage(4), hpa=BOUNDS),
    Case("ramps", (ramp(1, 20), ramp(20, 1)), load=usage(1), hpa=SOON),
)
