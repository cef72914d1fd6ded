"""A fleet of workloads under a noisy load, and what one controller after the other makes of it."""

import math
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime

import gauges
from bare_client import BareClient
from measured import Measured
from progress import say
from support import upstream
from support.adapter import Adapter
from support.api import path
from support.audit import AuditLog
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
STAGING = 5  # seconds within which the load player surely has a step
# mCPU of the 100 that each pod requests, the target being 50 %; or of an external metric, 50 a pod.
BUSY, BUSIER, IDLE = 50, 65, 20
READS = "GET", "deployments/scale"
EVALUATIONS = "horizontal_pod_autoscaler_controller_reconciliations_total"


def external_metric(name, average=BUSY):
    return {"type": "External", "external": {"metric": {"name": name}, "target": {
        "type": "AverageValue", "averageValue": str(average)}}}


def creation(count, pods):
    """About how many seconds a fleet of that size takes to be there, on two cores."""
    return 40 + count / 20 + count * pods / 40


def scale_writes(log, since, rounds=1):
    """(target, which of its writes this is, time) of the first `rounds` writes of each scale since
    then in an AuditLog."""
    found = Counter()
    for entry in log.entries():
        at = datetime.fromisoformat(entry["stageTimestamp"].replace("Z", "+00:00")).timestamp()
        place = entry["objectRef"]["namespace"], entry["objectRef"]["name"]
        if at >= since and entry["responseStatus"]["code"] == 200 and found[place] < rounds:
            yield place, found[place], at
            found[place] += 1


class Upstream:
    """Kubernetes' own controller; `flags` beside its defaults."""

    api_version, kind = "autoscaling/v2", "HorizontalPodAutoscaler"
    schedules = ()

    def __init__(self, name, client=(), *flags):
        self.name, self._client, self._flags = name, client, flags

    def start(self, fleet):
        self._fleet, self._before = fleet, fleet.requests()[READS]
        kubeconfig = fleet.cluster.operator_kubeconfig(token=upstream.allow(fleet.cluster))
        self._process = upstream.HpaController(fleet.cluster, kubeconfig, fleet.period,
                                               *self._flags, client=self._client)
        self.pid, self.close = self._process.pid, self._process.close

    def wait_for_rhythm(self):
        pass  # it has none

    def evaluations(self):
        """Each evaluation reads the scale once."""
        return self._fleet.requests()[READS] - self._before


class Ballast:
    name, api_version, kind = "Ballast", POLICY, "AutoScalePolicy"
    flags = schedules = ()

    def start(self, fleet):
        self._period = fleet.period
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

    def wait_for_rhythm(self):
        """Waits until it evaluates in the rhythm of the samples, if it looks for one."""
        known = lambda: [value for _, value in samples(
            get(self._address, "/metrics")[1], "ballast_sample_rhythm_seconds")]
        wait_until("the rhythm to be known", lambda: 0 not in known(), 600, 1)
        time.sleep(self._period)  # what was planned before that

    def evaluations(self):
        page = get(self._address, "/metrics")[1]
        return sum(count for _, count in samples(page, EVALUATIONS))


class ByTheClock(Ballast):
    name, flags = "Ballast, by the clock", ("--evaluation-moments=clock",)


class WithSchedules(Ballast):
    """Each policy has eight, in two zones, which change nothing: their floors are the spec's."""

    name = "Ballast, 8 schedules each"
    schedules = tuple({"name": f"window-{n}", "timeZone": ("Europe/Berlin", "America/New_York")[n % 2],
                       "from": f"{start:02}:00", "to": f"{start + 6:02}:30"} for n, start in enumerate(range(0, 16, 2)))


CONTROLLERS = {
    "default": Upstream("upstream, default flags"),
    "unlimited": Upstream("upstream, no client limits, 20 workers",
                          ("--kube-api-qps=10000", "--kube-api-burst=20000"),
                          "--concurrent-horizontal-pod-autoscaler-syncs=20"),
    "clock": ByTheClock(),
    "ballast": Ballast(),
    "schedules": WithSchedules(),
}


class Fleet:
    """`count` Deployments of `pods` pods each, autoscaled every `period` seconds, in a control plane
    of its own. The metrics of the first `stepping` of them (default: of all), external ones in the
    first `external` of the namespaces, else CPU, step all at once or, if `apart`, one after the other,
    `rounds` times up and down in turn; and that at `phases` moments, which `seed` draws. `publish`: new
    values of CPU are published so many seconds apart, at moments that are drawn for each phase, and
    steps come with them; else each second."""

    def __init__(self, count, pods, period=PERIOD, apart=False, external=0, rounds=1, phases=1,
                 publish=None, stepping=None, seed=1):
        self.pods, self.count, self.period = pods, count, period
        self._apart, self.rounds = apart, rounds
        self.external = {f"team-{n}" for n in range(external)}
        self._phases, self._publish, self._random = phases, publish, random.Random(seed)
        self._names = [(f"team-{n % SPACES}", f"app-{n}") for n in range(count)]
        self._stepping = dict.fromkeys(self._names[:stepping])  # in order
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
        """Runs the controller for a while, then steps the metrics."""
        self.autoscale(controller)
        self._start(controller)
        try:
            result = self._steady(controller, idle, seconds)
            result.steps = self._steps(controller)
            result.after_step, result.peak = gauges.memory(controller.pid)
            return result
        finally:
            controller.close()
            self._reset(controller)

    def measure_bare(self):
        """Makes the patches of these steps as fast as the API server takes them."""
        found = []
        client = BareClient(self.cluster, self._stepping)
        try:
            for phase in range(self._phases):
                say(f"{client.name}: the patches of a step")
                log, began = self._log(), time.time()
                client.write(self._replicas(phase - 1), self._replicas(phase))
                found += [delay for _, delay in self._delays_since(log, began, lambda *_: began)]
                self._wait_for_pods(phase)
                time.sleep(SETTLING)
        finally:
            client.close()
        return Measured(client.name, steps=tuple(found))

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

    def _start(self, controller):
        """Starts it; returns once it works as it will go on."""
        say(f"{controller.name}: starting")
        if self._publish:
            self._published = time.time() + self._random.uniform(0, self._publish)
            self._load.align(self._published)
        controller.start(self)
        # The first turn is unlike the others; upstream has clients that wait for their rate.
        wait_until("two rounds", lambda: controller.evaluations() >= 2 * self.count, 900, 1)
        if self._publish:
            controller.wait_for_rhythm()

    def _steps(self, controller):
        found = []
        for phase in range(self._phases):
            if phase > 0:
                self._change_phase(controller, phase)
            say(f"{controller.name}: step {phase + 1} of {self._phases}")
            steps = self._step(phase)
            say(f"half of the scales were written within {steps[len(steps) // 2]:.2f} s, all within "
                f"{steps[-1]:.2f} s")
            found += steps
        return tuple(found)

    def _change_phase(self, controller, phase):
        """Lets what followed the step before end, and the next one meet the controller at another moment of its
        period. If values are published, it is started anew: the moments of publishing change."""
        self._wait_for_pods(phase - 1)
        if self._publish:
            controller.close()
            self._start(controller)
        else:
            time.sleep(self.period + self._random.uniform(0, self.period))

    def _step(self, phase=0):
        return sorted(delay for _, delay in self._delays(phase))

    def _delays(self, phase=0):
        """Steps the metrics; a list of (namespace, seconds until the scale was written)."""
        log, began = self._log(), time.time()
        stepped = self._publish_step(phase) if self._publish else self._step_now(phase)
        return self._delays_since(log, began, lambda place, number: stepped[self._app(*place)][number])

    def _step_now(self, phase):
        """{app: when it was stepped, of each round}"""
        stepped = {self._app(*place): [] for place in self._stepping}
        for number in range(phase, phase + self.rounds):
            for app, times in stepped.items():
                times.append(time.time())
                self._set(app, self._stepped_load(number))
                if self._apart:
                    time.sleep(APART)
        return stepped

    def _publish_step(self, phase):
        """The same for a step that comes with the next values that are published."""
        ahead = math.ceil((time.time() + STAGING - self._published) / self._publish)
        at = self._published + ahead * self._publish
        time.sleep(max(0, at - self._publish + STAGING / 10 - time.time()))
        stepped = {self._app(*place): [at] for place in self._stepping}
        for app in stepped:
            self._load.set(app, self._stepped_load(phase), next_sample=True)
        return stepped

    def _log(self):
        return AuditLog(self.cluster.dir / "audit.log")

    def _delays_since(self, log, began, stepped):
        """Waits for the scales that follow a step; a list of (namespace, seconds). `stepped(place, number)`: when."""
        wanted = len(self._stepping) * self.rounds
        writes = lambda: list(scale_writes(log, began, self.rounds))
        wait_until(lambda: f"{wanted} scales to be written: {len(writes())}",
                   lambda: len(writes()) == wanted, 600, 2)
        return [(place[0], at - stepped(place, number)) for place, number, at in writes()]

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
            "scaleTargetRef": target, "minReplicas": self.pods, "maxReplicas": self.pods + 1,
            "metrics": [external_metric(self._app(space, name)) if space in self.external
                        else cpu_metric(BUSY)],
            **({"behavior": scale_down(0)} if self.rounds * self._phases > 1 else {}),
            **({"schedules": [{**each, "minReplicas": self.pods} for each in controller.schedules]}
               if controller.schedules else {})})
        object_["metadata"]["namespace"] = space
        self.cluster.api.apply(object_)

    def _app(self, space, name):
        if self._apart:
            return name
        return space if (space, name) in self._stepping else f"{space}-still"

    @staticmethod
    def _stepped_load(phase):
        return IDLE if phase % 2 else BUSIER

    def _replicas(self, phase):
        """Of those that step, after this phase."""
        return self.pods if phase % 2 else self.pods + 1

    def _set_load(self, milli):
        for _, app in self._loads:
            self._set(app, milli)

    def _set(self, app, milli):
        self._load.set(app, milli)
        self.values[app] = str(milli * self.pods)

    def _wait_for_pods(self, phase=-1):
        """Those that there are after this phase; -1: from the beginning."""
        wanted = self.count * self.pods + len(self._stepping) * (self._replicas(phase) - self.pods)
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
