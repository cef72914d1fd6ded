"""A load that jumps up and falls again, and a rate and a window that let the replicas follow in
steps: Ballast's policies and the upstream controller's HPAs side by side, on one control plane."""

import time
from dataclasses import dataclass

from . import upstream
from .chaos import Chaos
from .objects import deployment, hpa, policy
from .waiting import PATIENCE, wait_until

PERIOD = 5
RATE = 15  # seconds within which the replicas may change by two
WINDOW = 20  # seconds before a scale-down
LOW, HIGH = 2, 8
STEPS = [2, 4, 6, 8, 6, 4, 2]
LOAD = {False: 20, True: 2000}  # mCPU; both ask for counts beyond the bounds
TWO_PODS = [{"type": "Pods", "value": 2, "periodSeconds": RATE}]
BEHAVIOR = {"scaleUp": {"policies": TWO_PODS},
            "scaleDown": {"policies": TWO_PODS, "stabilizationWindowSeconds": WINDOW}}
SIDES = ("ours", "theirs")


def loads(pairs):
    """The loads of all workloads, for LoadPlayer."""
    return {(side, f"{side}-{n}"): LOAD[False] for side in SIDES for n in range(pairs)}


@dataclass(frozen=True)
class Climb:
    """One workload's counts in order, and of each step how many seconds after its release it was
    seen. The release of the first step up is the jump of the load, of the first step down a window
    after the fall of the load, and of each further step when the rate allows it after the last."""
    counts: list
    late: list


class Staircase:
    """Call run() once; `case` is a ClusterCase whose LOADS are loads(pairs)."""

    def __init__(self, case, pairs):
        self._case, self._pairs = case, pairs
        self._jumps = {}  # by workload name: when its load rose, and fell
        self._proxy = case.make_proxy()
        # Injects no faults; it records the writes.
        self._network = self._proxy.rule = Chaos(0, calls=0, watches=0)

    def run(self):
        """Applies the autoscalers, moves the loads, and returns {side: [Climb]}."""
        cluster = self._case.cluster
        for side in SIDES:
            namespace = cluster.namespace(side)
            for n in range(self._pairs):
                name = f"{side}-{n}"
                autoscaler = policy if side == "ours" else hpa
                period = {"period": PERIOD} if side == "ours" else {}
                namespace.apply(deployment(name, replicas=LOW), autoscaler(
                    name, deployment(name), min_replicas=LOW, max_replicas=HIGH,
                    behavior=BEHAVIOR, **period))
        self._case.operator(kubeconfig=cluster.operator_kubeconfig(self._proxy.server))
        self._proxy.token = upstream.allow(cluster)
        peer = upstream.HpaController(cluster, cluster.operator_kubeconfig(self._proxy.server), PERIOD)
        self._case.addCleanup(peer.close)
        wait_until("both to have looked at the load", self._all_were_seen)
        for up, count in ((True, HIGH), (False, LOW)):
            for n in range(self._pairs):  # spread over a period
                pause = time.time() + PERIOD / self._pairs
                for side in SIDES:
                    self._case.load.set(f"{side}-{n}", LOAD[up])
                    self._jumps.setdefault(f"{side}-{n}", []).append(time.time())
                wait_until("the next phase", lambda at=pause: time.time() >= at, interval=0.02)
            wait_until(lambda: f"all at {count}: {self._network.writes}",
                       lambda to=count: self._all_at(to), timeout=3 * PATIENCE)
        return {side: [self._climb(f"{side}-{n}") for n in range(self._pairs)] for side in SIDES}

    def _all_were_seen(self):
        """Whether each autoscaler has a status with the metric's value."""
        plurals = {"ours": "autoscalepolicies.ballast.dev", "theirs": "horizontalpodautoscalers"}
        return all(
            self._case.cluster.kubectl(
                "get", plurals[side], "-n", side, "-o",
                "jsonpath={range .items[?(@.status.currentMetrics)]}x{end}").count("x")
            == self._pairs for side in SIDES)

    def _of(self, name):
        return [w for w in list(self._network.writes) if w.target.endswith("/" + name)]

    def _all_at(self, count):
        return all([write.to for write in self._of(f"{side}-{n}")][-1:] == [count]
                   for side in SIDES for n in range(self._pairs))

    def _climb(self, name):
        writes = self._of(name)
        up, down = self._jumps[name]
        released = {1: up, STEPS.index(HIGH) + 1: down + WINDOW}
        late = [write.at - released.get(at, writes[at - 2].at + RATE)
                for at, write in enumerate(writes, 1)]
        return Climb([LOW] + [write.to for write in writes], late)
