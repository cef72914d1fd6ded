"""Twin workloads under the same load in one cluster, of which Kubernetes' own HPA controller scales
one and Ballast, in mode manage, the other.

Kubernetes' controller serves every HPA of a cluster, and cannot be told not to. But it can only do
what its account may: here the account has all permissions in the namespaces of its own twins and
may elsewhere only watch HPAs and pods. Of Ballast's twins it therefore gets neither the scale nor
the right to write scale, status or event, so that it leaves no trace there, and Ballast's claim
holds. Ballast may manage in the namespaces of its own twins alone."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

from . import upstream
from .adapter import Adapter
from .api import path
from .chaos import Chaos
from .ledger import history
from .objects import condition, hpa, is_managed, namespaced, workload
from .proxy import status_answer
from .steps import differences
from .waiting import CLAIM, wait_until

SIDES = ("ours", "theirs")
MANAGER = {"ours": "ballast", "theirs": "kube-controller-manager"}
CUSTOM = {"Widget": "widgets"}  # kinds that no controller of the cluster knows


def loads(cases):
    """The loads of all twins at the beginning, for LoadPlayer."""
    return {(name, name): case.load for case in cases
            for name in (f"{side}-{case.name}" for side in SIDES)}


class Twin:
    """One workload and its HPA, both of the name SIDE-CASE in a namespace of that name. Its methods
    are what the acts of stages do."""

    def __init__(self, side, case, world):
        self.side, self.case, self.name = side, case, f"{side}-{case.name}"
        # What makes the pods; the target too, unless that is a custom resource.
        self._workload = workload("Deployment" if case.kind in CUSTOM else case.kind, self.name,
                                  case.start)
        self.target = self._workload if case.kind not in CUSTOM else namespaced(
            "example.com/v1", case.kind, self.name, spec={"fleet": {"size": case.start}})
        template = self._workload["spec"]["template"]
        template["spec"] |= case.pod
        if case.busy:
            template["metadata"]["labels"]["load.ballast.dev/container"] = case.busy
        self.hpa = hpa(self.name, self.target, **case.hpa)
        if side == "ours":
            self.hpa["metadata"]["annotations"] = {"ballast.dev/hpa-mode": "manage"}
        self._world = world
        self.namespace = world.cluster.namespace(self.name)

    def load(self, milli, memory=0):
        """Makes its pods share so many mCPU, and MiB."""
        self._world.load.set(self.name, milli, memory)

    def scale(self, count):
        """Scales the workload, as a human does."""
        self.namespace.set_scale(self.target, count)

    def roll_out(self, cpu="100m"):
        """Replaces the pods by such that request `cpu`; None: that request nothing."""
        container, = self._workload["spec"]["template"]["spec"]["containers"]
        container |= {"resources": {"requests": {"cpu": cpu} if cpu else {}}}
        self._world.cluster.api.merge(self.namespace.path(self._workload), {"spec": {"template": {
            "metadata": {"annotations": {"rolled-out": str(time.time())}},
            "spec": {"containers": [container]}}}})

    def ready(self, count):
        """Makes so many pods ready, and the others not."""
        for number, pod in enumerate(self.namespace.pods(self.name)):
            status = "True" if number < count else "False"
            conditions = [c | {"status": status} if c["type"] in ("Ready", "ContainersReady") else c
                          for c in pod["status"]["conditions"]]
            self._world.cluster.api.merge(
                path("v1", "pods", self.name, pod["metadata"]["name"], "status"),
                {"status": {"conditions": conditions}})

    def answer(self, is_answering):
        """Whether the metrics API answers for its namespace."""
        if is_answering:
            self._world.network.silent.discard(self.name)
        else:
            self._world.network.silent.add(self.name)

    def metric(self, value):
        """The value of the external metric CASE, which both twins have; None: there is none."""
        self._world.values[self.case.name] = value

    def place(self):
        """Creates its objects."""
        self.namespace.apply(self._workload, self.target, self.hpa)

    def follow(self):
        """Does what the controller of a custom resource does."""
        if self.target is self._workload:
            return
        count = self.namespace.replicas(self.target)
        self.namespace.set_scale(self._workload, count)
        self._world.cluster.api.merge(self.namespace.path(self.target, "status"), {"status": {
            "seen": count, "chosen": f"app={self.name}"}})

    def status(self):
        return self.namespace.get(self.hpa).get("status", {})

    def has(self, wanted):
        """Whether its HPA has the condition TYPE=STATUS."""
        type_, status = wanted.split("=")
        return condition(self.namespace.get(self.hpa), type_)["status"] == status

    def is_served(self):
        """Whether its controller has looked at the metrics."""
        served = self.side == "theirs" or is_managed(self.namespace.get(self.hpa))
        return served and bool(self.status().get("currentMetrics"))

    def managers(self):
        """Which controllers have written its scale or its HPA's status."""
        return {entry["manager"] for object_, part in ((self.target, "scale"), (self.hpa, "status"))
                for entry in self.namespace.get(object_)["metadata"]["managedFields"]
                if entry.get("subresource") == part} & set(MANAGER.values())


class Network(Chaos):
    """Injects no faults, except that the metrics API is silent about some namespaces; records the
    writes of scales."""

    def __init__(self):
        super().__init__(0, calls=0, watches=0)
        self.silent = set()

    def before(self, request):
        return self._silence(request) or super().before(request)

    def after(self, request, status, body):
        # An answer on its way when the silence began may already know what happened since.
        return self._silence(request) or super().after(request, status, body)

    def _silence(self, request):
        space = request.path.partition("/namespaces/")[2].partition("/")[0]
        if "/apis/metrics.k8s.io/" in request.path and space in self.silent:
            return status_answer(503, "ServiceUnavailable", "no metrics today")
        return None


class Twins:
    """Call run() once; `test` is a ClusterCase whose LOADS are loads(cases). Both controllers
    evaluate every `period` seconds, and have `flags`."""

    def __init__(self, test, cases, period, *flags):
        self.cluster, self.load = test.cluster, test.load
        self.cluster.define(CUSTOM)
        self.values = {case.name: case.metric for case in cases}  # of external metrics
        self._test, self._cases, self._period = test, cases, period
        self._flags = flags
        self._proxy = test.make_proxy()
        self.network = self._proxy.rule = Network()

    def run(self):
        """Plays all cases at once; returns each with the lines that say what differs."""
        pairs = [{side: Twin(side, case, self) for side in SIDES} for case in self._cases]
        self._start(pairs)
        with ThreadPoolExecutor(len(pairs)) as threads:
            return list(zip(self._cases, threads.map(self._play, pairs)))

    def _start(self, pairs):
        adapter = Adapter(self.cluster, self.values)
        self._test.addCleanup(adapter.close)
        for pair in pairs:
            for twin in pair.values():
                twin.load(twin.case.load, twin.case.memory)
                twin.place()
                twin.follow()
        server = self._proxy.server
        allowed = [word for pair in pairs
                   for word in ("--hpa-takeover-namespace", pair["ours"].name)]
        self._test.operator(
            "--horizontal-pod-autoscaler-sync-period", f"{self._period}s", *self._flags, *allowed,
            # One list for the whole cluster would not notice that its API is silent about some.
            "--pod-metrics-list", "selector",
            kubeconfig=self.cluster.operator_kubeconfig(server))
        self._proxy.token = upstream.allow(self.cluster, [pair["theirs"].name for pair in pairs])
        peer = upstream.HpaController(self.cluster, self.cluster.operator_kubeconfig(server),
                                      self._period, *self._flags)
        self._test.addCleanup(peer.close)
        for pair in pairs:
            for twin in pair.values():
                wait_until(lambda t=twin: f"{t.name} to be served: {t.status()}", twin.is_served,
                           CLAIM)

    def _play(self, pair):
        """Plays one case, in a thread of its own; returns what differs."""
        try:
            return self._differences(pair)
        finally:
            self.cluster.api.close()

    def _differences(self, pair):
        found, case = [], pair["ours"].case
        for number, stage in enumerate(case.stages, 1):
            began = time.time()
            self._play_stage(stage, began, pair)
            writes = {side: self._writes(twin, began) for side, twin in pair.items()}
            # Kubernetes' controller counts a rate from the answer to its write, Ballast from its decision.
            counted = {"ours": self._decided(pair["ours"], began, len(writes["ours"])),
                       "theirs": [write.at for write in writes["theirs"]]}
            found += [f"stage {number}: {line}"
                      for line in differences(stage, self._period, began, writes, counted)]
            found += [f"stage {number}: {twin.name} lacks {wanted}" for wanted in stage.conditions
                      for twin in pair.values() if not twin.has(wanted)]
            if found:
                return found + [f"{side}: {json.dumps(twin.status())}"
                                for side, twin in pair.items()]
        for side, twin in pair.items():
            if twin.managers() != {MANAGER[side]}:
                found.append(f"{twin.name} was written by {twin.managers()}")
        return found

    def _play_stage(self, stage, began, pair):
        """Returns when both have got to the last count, or after a long time, and have had another
        turn since."""
        at = lambda moment: wait_until("the moment", lambda: time.time() >= moment, 4000, 0.05)
        for number, act in enumerate(stage.acts):
            at(began + number)
            for twin in pair.values():
                act(twin)
        expected = began + len(stage.acts) + stage.after + stage.apart * len(stage.counts)
        arrived = lambda: all(
            [write.to for write in self._writes(twin, began)][-1:] == list(stage.counts[-1:])
            for twin in pair.values())
        patience = expected + 4 * self._period * (1 + len(stage.counts))
        while stage.counts and not arrived() and time.time() < patience:
            for twin in pair.values():
                twin.follow()
            at(time.time() + 0.2)
        at(max(time.time() + self._period + 1, began + stage.lasts * self._period))

    def _decided(self, twin, since, count):
        """When Ballast decided so many writes, by its ledger, in which an outcome is a moment later."""
        decided = lambda: [record.time for record in
                           history(self._test.store(), twin.name, twin.name).written()
                           if record.time >= since]
        wait_until(lambda: f"{count} writes of {twin.name} in the ledger: {decided()}",
                   lambda: len(decided()) >= count)
        return decided()[:count]  # those after them were not written yet when the writes were counted

    def _writes(self, twin, since):
        target = f"{twin.name}/{twin.name}"
        return [write for write in list(self.network.writes)
                if write.target == target and write.at >= since]
