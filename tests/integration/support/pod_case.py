"""A test case with the chart's pods where they really run."""

import sys

from .agent import CONTROLLERS, Agent, make_image
from .api import path
from .case import ClusterCase
from .cluster import CHART, RELEASE, RELEASE_NAMESPACE, set_json

NODES = ("agent-0", "agent-1")


class PodCase(ClusterCase):
    """Each test begins with the release as RELEASED, values of the chart, has it, installed and ready.
    For programs that enter_network() has run."""

    VALUES = None
    OPTIONS = CONTROLLERS
    RELEASED = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.agent = Agent(cls.cluster, make_image(cls.cluster.folder), NODES)
        cls.addClassCleanup(cls.agent.close)

    def setUp(self):
        self.addCleanup(self._show_pods)
        self.install(*self.RELEASED)

    def install(self, *values):
        """Installs or upgrades the release, and waits until it is ready."""
        self.cluster.helm("upgrade", "--install", RELEASE, CHART, "--namespace", RELEASE_NAMESPACE,
                          "--create-namespace", "--wait", "--timeout", "60s",
                          "--set", "image.repository=ballast", *set_json(values))

    def helm(self, command, *words):
        return self.cluster.helm(command, RELEASE, "--namespace", RELEASE_NAMESPACE, *words)

    def pods(self):
        """The operator's pods."""
        return self.api.list(path("v1", "pods", RELEASE_NAMESPACE),
                             {"labelSelector": "app.kubernetes.io/name=ballast"})

    def _show_pods(self):
        outcome = self._outcome.result
        if any(test is self for test, _ in outcome.failures + outcome.errors):
            print("the agent's last lines:", *self.agent.lines[-30:], sep="\n  ", file=sys.stderr)
            for pod in self.pods():
                name = pod["metadata"]["name"]
                print(f"the last of {name}:\n{self.agent.log(name)[-3000:]}", file=sys.stderr)
