"""A fleet of workloads under a noisy load, and what one controller after the other makes of it."""

import json
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime

import gauges
from measured import Measured
from progress import say
from support import upstream
from support.adapter import Adapter
from support.api import path
from support.cluster import Cluster
from support.load import LoadPlayer
from support.objects import POLICY, cpu_metric, deployment, namespaced, scale_down
from support.pages import api_requests, get, samples
from support.process import Operator
from support.waiting import wait_until

SPACES = 10  # namespaces
APART = 0.1  # seconds between two steps
PERIOD = 15
RUNNING = 40  # seconds until Ballast has evaluated each policy of a fleet twice, about
SETTLING = 20  # seconds until the cluster's controllers are done with what was created
# mCPU of the 100 that each pod requests, the target being 50 %; or of an external metric, 50 a pod.
BUSY, BUSIER, IDLE = 50, 65, 20
EVALUATIONS = "horizontal_pod_autoscaler_controller_reconciliations_total"


def external_metric(name, average=BUSY):
    return {"type": "External", "external": {"metric": {"name": name}, "target": {
        "type": "AverageValue", "averageValue": str(average)}}}


def creation(count, pods):
    """About how many seconds a fleet of that size takes to be there, on two cores."""
    return 40 + count / 20 + count * pods / 40


def scale_writes(cluster, since, rounds=1):
    """(target, which of its writes this is, time) of the first `rounds` writes of each scale since
    then."""
    found = Counter()
    with open(cluster.dir / "audit.log", encoding="utf-8") as log:
        for line in log:
            if not line.endswith("\n"):
                break  # being written
            entry = json.loads(line)
            at = datetime.fromisoformat(entry["stageTimestamp"].replace("Z", "+00:00")).timestamp()
            place = entry["objectRef"]["namespace"], entry["objectRef"]["name"]
            if at >= since and entry["responseStatus"]["code"] == 200 and found[place] < rounds:
                yield place, found[place], at
                found[place] += 1


class Upstream:
    """Kubernetes' own controller; `flags` beside its defaults."""

    api_version, kind = "autoscaling/v2", "HorizontalPodAutoscaler"

    def __init__(self, name, client=(), *flags):
        self.name, self._client, self._flags = name, client, flags

    def start(self, fleet):
        self._fleet = fleet
        kubeconfig = fleet.cluster.operator_kubeconfig(token=upstream.allow(fleet.cluster))
        self._process = upstream.HpaController(fleet.cluster, kubeconfig, fleet.period,
                                               *self._flags, client=self._client)
        self.pid, self.close = self._process.pid, self._process.close

    def knows_rhythm(self):
        return True  # it needs none

    def evaluations(self):
        """Each evaluation reads the scale once."""
        return self._fleet.requests()["GET", "deployments/scale"]


class Ballast:
    name, api_version, kind = "Ballast", POLICY, "AutoScalePolicy"
    flags = ()

    def start(self, fleet):
        self.run(fleet.cluster, "--horizontal-pod-autoscaler-sync-period", f"{fleet.period}s",
                 *self.flags)

    def run(self, cluster, *flags, store="ballast.db"):
        """Starts it with these flags, and its ledger in the cluster's folder; returns once it works,
        with how many policies it serves."""
        self.begin(cluster.operator_kubeconfig(), cluster.folder / store, *flags)
        return self.wait_ready()["policies"]

    def begin(self, kubeconfig, store, *flags):
        """Starts it; returns once it serves its pages."""
        self._process = Operator(kubeconfig, store, *flags, "--serve-address", "127.0.0.1:0")
        self.pid, self.close = self._process.pid, self._process.close
        self._address = self._process.wait_for("serving health and metrics", interval=0.01)[
            "address"]

    def is_ready(self):
        """Whether a kubelet would find it ready."""
        return get(self._address, "/readyz")[0] == 200

    def wait_ready(self):
        """Waits until it works; returns the log line that says so."""
        return self._process.wait_for("ready")

    def kill(self):
        self._process.kill()
        self._process.wait()

    def knows_rhythm(self):
        """Whether it knows in which rhythm samples come, or does not look for one."""
        known = list(samples(get(self._address, "/metrics")[1], "ballast_sample_rhythm_seconds"))
        return not known or known[0][1] > 0

    def evaluations(self):
        page = get(self._address, "/metrics")[1]
        return sum(count for _, count in samples(page, EVALUATIONS))


class ByTheClock(Ballast):
    name, flags = "Ballast, by the clock", ("--evaluation-moments=clock",)


CONTROLLERS = {
    "default": Upstream("upstream, default flags"),
    "unlimited": Upstream("upstream, no client limits, 20 workers",
                          ("--kube-api-qps=10000", "--kube-api-burst=20000"),
                          "--concurrent-horizontal-pod-autoscaler-syncs=20"),
    "clock": ByTheClock(),
    "ballast": Ballast(),
}


class Fleet:
    """`count` Deployments of `pods` pods each, autoscaled every `period` seconds, in a control plane
    of its own. Their metrics, external ones in the first `external` of the namespaces, else CPU, step
    all at once or, if `apart`, one after the other, `rounds` times up and down in turn; and that at
    `phases` random moments. `publish`: new values of CPU are published so many seconds apart, and
    steps come with them; else at once."""

    def __init__(self, count, pods, period=PERIOD, apart=False, external=0, rounds=1, phases=1,
                 publish=None):
        self.pods, self.count, self.period = pods, count, period
        self._apart, self.rounds = apart, rounds
        self.external = {f"team-{n}" for n in range(external)}
        self._phases, self._publish = phases, publish
        self._names = [(f"team-{n % SPACES}", f"app-{n}") for n in range(count)]
        self.cluster = Cluster("--metrics", "player")
        self._server = gauges.child(self.cluster.dir, "kube-apiserver")
        self.cluster.install_chart()
        say(f"creating {count} Deployments of {pods} pods")
        for n in range(SPACES):
            self.cluster.namespace(f"team-{n}")
        self._all(self._create)
        self._loads = {(space, self._app(space, name)): BUSY for space, name in self._names}
        self._load = LoadPlayer(self.cluster, self._loads, options=("--each", "--noise", "5"),
                                resolution=publish)
        self.values = {}  # of external metrics, by app
        self.adapter = Adapter(self.cluster, self.values) if external else None
        self._set_load(BUSY)
        self._wait_for_pods()

    def close(self):
        if self.adapter:
            self.adapter.close()
        self._load.close()
        self.cluster.close()

    def requests(self):
        """All that were ever made, {(verb, resource): count}; of watches, none."""
        raw = lambda page: self.cluster.kubectl("get", "--raw", page)
        # The API server does not count what it forwards to another.
        return api_requests(raw("/metrics")) + Counter(
            {("GET", "metrics.k8s.io"): int(raw("/apis/metrics.k8s.io/v1beta1/answered")),
             ("GET", "external.metrics.k8s.io"): len(self.adapter.paths) if self.adapter else 0})

    def idle(self, seconds):
        """What the API server does by itself: CPU seconds and requests in each second."""
        say("measuring the cluster without a controller")
        time.sleep(SETTLING)
        return self._used(seconds)

    def autoscale(self, controller):
        """Creates the autoscalers that the controller serves."""
        self._all(lambda space, name: self._autoscale(controller, space, name))

    def measure(self, controller, idle, seconds):
        """Runs the controller for a while, then steps all metrics."""
        say(f"{controller.name}: starting")
        self.autoscale(controller)
        controller.start(self)
        try:
            # The first turn is unlike the others; upstream has clients that wait for their rate.
            wait_until("two rounds", lambda: controller.evaluations() >= 2 * self.count, 900, 1)
            if self._publish:
                wait_until("the rhythm to be known", controller.knows_rhythm, 600, 1)
                time.sleep(self.period)  # what was planned before that
            result = self._steady(controller, idle, seconds)
            result.steps = self._steps(controller)
            result.after_step, result.peak = gauges.memory(controller.pid)
            return result
        finally:
            controller.close()
            self._reset(controller)

    # --- parts of measure()

    def _steady(self, controller, idle, seconds):
        say(f"{controller.name}: measuring for {seconds} s")
        idle_cpu, idle_requests = idle
        began, evaluations = time.monotonic(), controller.evaluations()
        cpu = gauges.cpu_seconds(controller.pid)
        server_cpu, requests = self._used(seconds)
        lasted = time.monotonic() - began
        evaluations = controller.evaluations() - evaluations
        per = lasted / evaluations  # from an amount for a second to one for an evaluation
        return Measured(
            controller.name, 1 / per, per * self.count,
            (gauges.cpu_seconds(controller.pid) - cpu) / evaluations,
            (server_cpu - idle_cpu) * per,
            {what: max(each - idle_requests[what], 0) * per for what, each in requests.items()},
            gauges.memory(controller.pid)[0])

    def _used(self, seconds):
        began, cpu, before = time.monotonic(), gauges.cpu_seconds(self._server), self.requests()
        time.sleep(seconds)
        after, lasted = self.requests(), time.monotonic() - began
        used = (gauges.cpu_seconds(self._server) - cpu) / lasted
        after.subtract(before)
        return used, Counter({what: count / lasted for what, count in after.items()})

    def _steps(self, controller):
        found = []
        for phase in range(self._phases):
            if phase > 0:  # what followed the step before has ended by then
                time.sleep(3 * self.period + random.uniform(0, self.period))
            say(f"{controller.name}: a step of all metrics")
            steps = self._step(phase)
            say(f"half of the scales were written within {steps[len(steps) // 2]:.2f} s, all within "
                f"{steps[-1]:.2f} s")
            found += steps
        return tuple(sorted(found))

    def _step(self, phase=0):
        return sorted(delay for _, delay in self._delays(phase))

    def _delays(self, phase=0):
        """Steps the metrics; a list of (namespace, seconds until the scale was written)."""
        if self._publish:  # right behind it: what is set counts at once
            time.sleep(self._publish - time.time() % self._publish + 0.01)
        began = time.time()
        stepped = {app: [] for _, app in self._loads}  # when
        for number in range(phase, phase + self.rounds):
            for app, times in stepped.items():
                times.append(time.time())
                self._set(app, IDLE if number % 2 else BUSIER)
                if self._apart:
                    time.sleep(APART)
        wanted = self.count * self.rounds
        writes = lambda: scale_writes(self.cluster, began, self.rounds)
        wait_until(lambda: f"{wanted} scales to be written: {len(list(writes()))}",
                   lambda: len(list(writes())) == wanted, 600, 2)
        return [(place[0], at - stepped[self._app(*place)][number])
                for place, number, at in writes()]

    def _reset(self, controller):
        say(f"{controller.name}: back to {self.pods} pods each")
        plural = {"AutoScalePolicy": "autoscalepolicies"}.get(controller.kind,
                                                              "horizontalpodautoscalers")
        for n in range(SPACES):
            self.cluster.api.delete(path(controller.api_version, plural, f"team-{n}"))
        self._set_load(BUSY)
        self._all(lambda space, name: self.cluster.api.merge(
            path("apps/v1", "deployments", space, name, "scale"),
            {"spec": {"replicas": self.pods}}))
        self._wait_for_pods()

    # --- objects

    def _all(self, act):
        """Does it for each workload, several at once."""
        def one(place):
            act(*place)
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(one, self._names))

    def _create(self, space, name):
        object_ = deployment(name, replicas=self.pods)
        object_["metadata"]["namespace"] = space
        template = object_["spec"]["template"]
        # The load is by app; the Deployment needs a label of its own.
        template["metadata"]["labels"] = {"app": self._app(space, name), "name": name}
        object_["spec"]["selector"] = {"matchLabels": {"name": name}}
        self.cluster.api.request("POST", path("apps/v1", "deployments", space), object_)

    def _autoscale(self, controller, space, name):
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
        object_ = namespaced(controller.api_version, controller.kind, name, spec={
            "scaleTargetRef": target, "minReplicas": 1, "maxReplicas": self.pods + 1,
            "metrics": [external_metric(self._app(space, name)) if space in self.external
                        else cpu_metric(BUSY)],
            **({"behavior": scale_down(0)} if self.rounds * self._phases > 1 else {})})
        object_["metadata"]["namespace"] = space
        self.cluster.api.apply(object_)

    def _app(self, space, name):
        return name if self._apart else space

    def _set_load(self, milli):
        for _, app in self._loads:
            self._set(app, milli)

    def _set(self, app, milli):
        self._load.set(app, milli)
        self.values[app] = str(milli * self.pods)

    def _wait_for_pods(self):
        wanted = self.count * self.pods
        latest = lambda: {line["selector"]: line["readyPods"] for line in list(self._load.lines)}
        wait_until(lambda: f"{wanted} pods: {latest()}",
                   lambda: sum(latest().values()) == wanted, 1200, 1)


def size(text):
    """50x10: 50 policies on 10 pods each."""
    policies, pods = map(int, text.split("x"))
    return policies, pods


@contextmanager
def running(policies, pods):
    """Ballast, which serves a fleet of that size, and has evaluated each policy twice."""
    fleet, ballast = Fleet(policies, pods), Ballast()
    try:
        fleet.autoscale(ballast)
        ballast.start(fleet)
        try:
            wait_until("two rounds", lambda: ballast.evaluations() >= 2 * policies, 300, 1)
            yield ballast
        finally:
            ballast.close()
    finally:
        fleet.close()
