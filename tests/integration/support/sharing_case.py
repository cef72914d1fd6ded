"""A test case beside others on one control plane."""

import inspect
from pathlib import Path

from .case import ClusterCase
from .cluster import CHART


class SharingCase(ClusterCase):
    """A ClusterCase that other tests do not disturb which use its control plane at the same time, and which does
    not disturb them: it has a release of the chart of its own, and with it an account, rights and a lease, and its
    operators serve its namespaces alone. Nobody else may have namespaces of these names. Nothing but kinds of
    objects, and the chart's definition among them, is for all of the cluster."""

    @classmethod
    def settle(cls):
        cluster = cls.cluster
        name = Path(inspect.getfile(cls)).stem.removesuffix("_test").replace("_", "-")
        cluster.release = cluster.release_namespace = f"ballast-{name}"
        cluster.release_values = ("crds.install=false",)
        cluster.kubectl("apply", "--server-side", "-f", CHART / "files/crd.yaml")

    def run(self, result=None):
        self._earlier = len(self.cluster.namespaces)
        if not hasattr(type(self), "of_class"):
            type(self).of_class = list(self.cluster.namespaces)  # those that all tests of the class share
        return super().run(result)

    def operator(self, *flags, **options):
        """The same, for the namespaces that the test has made so far, unless the flags name others."""
        names = {*self.of_class, *self.cluster.namespaces[self._earlier:]} or {self.cluster.release_namespace}
        served = [word for name in sorted(names) for word in ("--namespace", name)]
        return super().operator("--leader-elect-resource-name", self.cluster.release,
                                *([] if "--namespace" in flags else served), *flags, **options)
