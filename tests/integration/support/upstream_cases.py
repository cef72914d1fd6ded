"""Upstream's own end-to-end cases for the HorizontalPodAutoscaler, as stairs for twins. docs/upstream-cases.md
says which case is which, and what differs. A minute of theirs is four periods."""

from .objects import scale_down
from .stairs import PERIOD, WINDOW, external, load, metric, on, queue, usage
from .steps import Case

MINUTE = 4 * PERIOD
MILLI = {"cpu": "500m", "memory": "500Mi"}
# How long upstream waits, at most, for a change of the load to get to the replicas: in periods.
REACTION = 10


def pod(*containers, **requests):
    """A pod's spec: containers that request so much each; `requests`: the whole pod does."""
    spec = {"containers": [{"name": name, "image": "app", "resources": {"requests": wanted}}
                           for name, wanted in containers]}
    return spec | ({"resources": {"requests": requests}} if requests else {})


def target(percent=None, average=None):
    if percent:
        return {"type": "Utilization", "averageUtilization": percent}
    return {"type": "AverageValue", "averageValue": average}


def of_pods(resource, **of):
    return {"type": "Resource", "resource": {"name": resource, "target": target(**of)}}


def of_container(resource, **of):
    return {"type": "ContainerResource", "containerResource": {
        "name": resource, "container": "app", "target": target(**of)}}


def rules(metric_, low=1, high=5, **behavior):
    """An HPA's spec."""
    spec = {"min_replicas": low, "max_replicas": high, "metrics": [metric_]}
    return spec | ({"behavior": behavior} if behavior else {})


def up(name, metric_, resource="cpu", kind="Deployment", first=250, second=700, stays=3, **fields):
    """From 1 to 3 to 5 replicas; `stays`: for how many periods at 3, at least."""
    use = (lambda amount: load(amount)) if resource == "cpu" else (lambda amount: load(0, amount))
    fields = {"pod": pod(("app", MILLI)), "long": True} | fields
    return Case(name, (on(use(first), 3, lasts=stays), on(use(second), 5)), kind=kind,
                hpa=rules(metric_), **fields)


def down(name, kind="Deployment", stays=3, long=True):
    """From 5 to 3 to 1 replicas."""
    return Case(name, (on(load(325), 3, after=WINDOW, lasts=WINDOW // PERIOD + stays),
                       on(load(10), 1, after=WINDOW)),
                start=5, load=700, kind=kind, pod=pod(("app", MILLI)),
                hpa=rules(of_pods("cpu", percent=30)), long=long)


def light(name, stage, start, load_, kind="ReplicaSet"):
    """Between 1 and 2 replicas."""
    return Case(name, (stage,), start=start, load=load_, kind=kind, long=True,
                pod=pod(("app", {"cpu": "200m"})), hpa=rules(of_pods("cpu", percent=50), high=2))


def enough_for(replicas):
    return load(usage(replicas, each=125))


def behaves(name, stages, start, low=1, high=10, long=True, **behavior):
    """A case about behavior: pods that request 500m and may use a quarter of it."""
    return Case(name, stages, start=start, load=usage(start, each=125), pod=pod(("app", MILLI)),
                hpa=rules(of_pods("cpu", percent=25), low, high, **behavior), long=long)


def window(seconds):
    return {"stabilizationWindowSeconds": seconds}


def rate(type_, value, seconds=MINUTE):
    """A rate without a window."""
    return window(0) | {"selectPolicy": "Max", "policies": [
        {"type": type_, "value": value, "periodSeconds": seconds}]}


OFF = {"selectPolicy": "Disabled"}
TEN_TIMES = {"tolerance": "10"}
CPU_20, MEMORY_20 = of_pods("cpu", percent=20), of_pods("memory", percent=20)
SIDECAR = pod(("app", {"cpu": "250m"}), ("sidecar", {"cpu": "250m"}))
UP_TO_THREE = {"min_replicas": 1, "max_replicas": 3, "behavior": scale_down(0)}

UPSTREAM_CASES = (
    up("cpu-up", CPU_20, long=False),
    down("cpu-down", long=False),
    up("cpu-up-average", of_pods("cpu", average="100m")),
    up("container-up", of_container("cpu", percent=20)),
    up("container-up-average", of_container("cpu", average="100m")),
    up("pod-level-up", CPU_20, pod=pod(("app", {}), cpu="500m", memory="500Mi")),
    up("pod-level-container-up", of_container("cpu", percent=20), first=125, second=350,
       pod=pod(("app", {"cpu": "250m", "memory": "250Mi"}), cpu="500m", memory="500Mi")),
    up("rs-up", CPU_20, kind="ReplicaSet"),
    down("rs-down", kind="ReplicaSet"),
    up("rs-up-stable", CPU_20, kind="ReplicaSet", stays=40),
    down("rs-down-stable", kind="ReplicaSet", stays=40),
    light("light-up", on(load(150), 2), 1, 0),
    light("light-down", on(load(50), 1, after=WINDOW), 2, 150),
    up("idle-sidecar", of_container("cpu", percent=20), kind="ReplicaSet", first=125, second=500,
       pod=SIDECAR, busy="app"),
    Case("busy-sidecar", (on(load(250), lasts=4),), kind="ReplicaSet", pod=SIDECAR, busy="sidecar",
         hpa=rules(of_container("cpu", percent=20)), long=True),
    light("custom-resource", on(load(150), 2), 1, 0, kind="Widget"),
    up("memory-up", MEMORY_20, "memory"),
    up("memory-up-average", of_pods("memory", average="100Mi"), "memory"),
    up("memory-container-up", of_container("memory", percent=20), "memory"),
    up("memory-container-up-average", of_container("memory", average="100Mi"), "memory"),
    behaves("short-window-down", (on(enough_for(3), 3), on(enough_for(2), 2, after=MINUTE)), 1,
            high=5, scaleUp=window(0), scaleDown=window(MINUTE), long=False),
    behaves("long-window-up", (on(enough_for(1), 1), on(enough_for(3), 3, after=3 * MINUTE)), 2,
            scaleUp=window(3 * MINUTE), scaleDown=window(0), long=False),
    behaves("never-up", (on(enough_for(8), lasts=REACTION + 4),), 1, scaleUp=OFF),
    behaves("never-down", (on(enough_for(1), lasts=REACTION + WINDOW // PERIOD),), 3,
            scaleDown=OFF),
    behaves("pods-rate-up", (on(enough_for(3), 2, 3, apart=MINUTE),), 1, scaleUp=rate("Pods", 1),
            long=False),
    behaves("pods-rate-down", (on(enough_for(1), 2, 1, apart=MINUTE),), 3,
            scaleDown=rate("Pods", 1)),
    behaves("percent-rate-up", (on(enough_for(8), 3, 5, 8, apart=MINUTE),), 2,
            scaleUp=rate("Percent", 50)),
    behaves("percent-rate-down", (on(enough_for(1), 5, 3, 2, 1, apart=MINUTE),), 7,
            scaleDown=rate("Percent", 25)),
    behaves("two-windows", (on(enough_for(3), 3, after=3 * MINUTE),
                            on(enough_for(2), 2, after=3 * MINUTE)), 1, high=5,
            scaleUp=window(3 * MINUTE), scaleDown=window(3 * MINUTE)),
    behaves("window-and-rate", (on(enough_for(4), 3, 4, apart=2 * MINUTE),
                                on(enough_for(2), 2, after=3 * MINUTE)), 2, low=2, high=5,
            scaleUp=rate("Pods", 1, 2 * MINUTE), scaleDown=window(3 * MINUTE)),
    behaves("large-tolerance", (on(enough_for(8), lasts=REACTION + 8),), 1, scaleUp=TEN_TIMES,
            scaleDown=TEN_TIMES),
    Case("two-tolerances", (on(load(usage(11, each=120)), 11), on(load(usage(12, each=120)), 12),
                            on(load(usage(10, each=120)), lasts=REACTION + 8)),
         start=10, load=usage(10, each=120), pod=pod(("app", {"cpu": "200m"})), long=True,
         hpa=rules(of_pods("cpu", percent=60), 10, 12, scaleUp={"tolerance": "0.02"},
                   scaleDown={"tolerance": "0.3"})),
    queue("external", (on(metric("100"), 2, 3), on(metric("0"), 1)), external("Value", "50"),
          metric="40", hpa=UP_TO_THREE, long=True),
    queue("to-zero", (on(metric("0"), 0, conditions=("ScaledToZero=True",)), on(metric("200"), 3)),
          external("Value", "50"), metric="40", hpa=UP_TO_THREE | {"min_replicas": 0}),
)
