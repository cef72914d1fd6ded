"""A test case with a control plane, the chart, and the load player."""

import contextlib
import inspect
import sys
import unittest
from pathlib import Path

from . import evidence
from .api import ApiError, path
from .cluster import PLANE, SKIPPED, Cluster, Skipped
from .ledger import seconds
from .load import LoadPlayer, Loads
from .objects import POLICY, condition
from .process import BALLAST, Operator
from .proxy import Proxy
from .rights import allows, asked, keep
from .waiting import wait_until


class ClusterCase(unittest.TestCase):
    """All tests of a class share one control plane, each in namespaces of its own. The policies that a test
    leaves there go with it, so that no operator of a later one has to do with them.

    It is $BALLAST_TEST_PLANE, where no other test may be at the same time, unless that is not set, or the class
    wants another one; then it is one of the class's own.

    A class lists all apps that ever have a load (LOADS, as LoadPlayer takes them), further values
    of the chart (VALUES; None: it is not installed), and who serves metrics.k8s.io (METRICS): the
    load player ("player"), exact and at once, or the real metrics-server ("real"). OPTIONS are
    further ones of the control plane. DENIED is what its operators ask for without having the right,
    {(verb, group, resource, name or ""): why}; anything else that is denied is a failure."""

    LOADS = {}
    VALUES = ()
    METRICS = "player"
    OPTIONS = ()
    DENIED = {}

    @classmethod
    def setUpClass(cls):
        try:
            cls.cluster = cls.control_plane()
        except Skipped as why:
            print(why, file=sys.stderr)
            raise SystemExit(SKIPPED) from None
        cls._shared = []  # operators
        cls.addClassCleanup(cls.cluster.close)
        cls.addClassCleanup(cls._check_rights)
        cls.api = cls.cluster.api
        cls.settle()
        if cls.VALUES is not None:
            cls.cluster.install_chart(*cls.VALUES)
        if cls.LOADS:
            cls.load = LoadPlayer(cls.cluster, cls.LOADS, "real") if cls.METRICS == "real" else Loads(
                cls.api, cls.LOADS)
            cls.addClassCleanup(cls.load.close)

    @classmethod
    def settle(cls):
        """Prepares the control plane for the class."""
        cls.cluster.clear()

    @classmethod
    def control_plane(cls):
        is_special = cls.OPTIONS or cls.METRICS == "real"
        return Cluster("--metrics", "real" if cls.METRICS == "real" else "steered" if cls.LOADS else "player",
                       "--audit-accounts", *cls.OPTIONS, plane="" if is_special else PLANE)

    @classmethod
    def _check_rights(cls):
        requests = asked(cls.cluster)
        keep(cls._name(), [request for request, allowed in requests.items() if allowed])
        denied = [request for request, allowed in requests.items()
                  if not allowed and not any(allows(right, request) for right in cls.DENIED)]
        if denied:
            evidence.keep(cls._name(), cls.cluster)
            raise AssertionError(f"the operator asked for what it may not: {sorted(denied)}")

    @classmethod
    def _name(cls):
        return f"{Path(inspect.getfile(cls)).stem}.{cls.__name__}"

    def run(self, result=None):
        self._operators = list(self._shared)  # all that the test has started or uses
        made = len(self.cluster.namespaces)
        result = super().run(result)
        if any(getattr(test, "test_case", test) is self for test, _ in result.failures + result.errors):
            self.show_failure()
        for name in set(self.cluster.namespaces[made:]):
            with contextlib.suppress(ApiError):  # some tests remove the kind
                self.api.delete(path(POLICY, "autoscalepolicies", name))
        return result

    def show_failure(self, **folders):
        """Says, and keeps with the folders, what helps to find the cause. All that the test started has ended."""
        evidence.keep(f"{self._name()}.{self._testMethodName}", self.cluster, self._operators,
                      store=self.store().parent, **folders)

    def store(self, name="ballast.db"):
        """The path of a file for this test, usually its ledger."""
        folder = self.cluster.folder / self._testMethodName
        folder.mkdir(exist_ok=True)
        return folder / name

    def operator(self, *flags, kubeconfig=None, store=None, program=BALLAST, shared=False):
        """Starts an operator with the chart's rights, which ends with the test at the latest, or, for tests
        that share it, with the class."""
        operator = Operator(kubeconfig or self.cluster.operator_kubeconfig(),
                            store or self.store(), *flags, program=program)
        if shared:
            self.addClassCleanup(operator.close)
            self._shared.append(operator)
        else:
            self.addCleanup(operator.close)
        self._operators.append(operator)
        return operator

    def make_proxy(self):
        """Starts a proxy to the API server; it ends with the test."""
        proxy = Proxy(self.cluster.server, self.cluster.api.context(self.cluster.ca))
        self.addCleanup(proxy.close)
        return proxy

    def wait_until_measured(self, namespace, app):
        """Waits until the CPU of the pods of `app` counts: their samples' windows begin when they were ready."""
        def counts(pod, samples):
            sample = samples.get(pod["metadata"]["name"])
            ready = condition(pod, "Ready")
            return sample and ready["status"] == "True" and (
                seconds(sample["timestamp"]) - float(sample["window"].removesuffix("s"))
                >= seconds(ready["lastTransitionTime"]))

        def probe():
            samples = {sample["metadata"]["name"]: sample for sample in self.api.list(
                path("metrics.k8s.io/v1beta1", "pods", namespace.name), {"labelSelector": "app=" + app})}
            pods = namespace.pods(app)
            return pods and all(counts(pod, samples) for pod in pods)
        wait_until(f"the samples of {app} to count", probe)

    def wait_for_replicas(self, namespace, object_, count):
        wait_until(lambda: f"{object_['kind']} {object_['metadata']['name']} at {count}: "
                   f"{namespace.policy(object_['metadata']['name']).get('status')}",
                   lambda: namespace.replicas(object_) == count)

    def wait_for_writes(self, namespace, *expected, target=None):
        """The writes of scales by the operator, once they are the expected ones, (from, to) each, or, without
        any, once there is one: the audit log may have it later than a reader sees the new count."""
        def writes():
            return [write for write in self.cluster.scale_writes(namespace)
                    if target in (None, write.target)]

        def probe():
            found = writes()
            is_expected = not expected or [(write.from_, write.to) for write in found] == list(expected)
            return found if is_expected else None
        return wait_until(lambda: f"{list(expected) or 'a write'} in the audit log: {writes()}", probe)

    def wait_for_condition(self, namespace, name, type_, **fields):
        """Waits until each of the condition's fields contains its text; returns the condition."""
        def probe():
            found = condition(namespace.policy(name), type_)
            return found if all(text in found[key] for key, text in fields.items()) else None
        return wait_until(lambda: f"{type_} {fields} of {name}: {namespace.policy(name)}", probe)
