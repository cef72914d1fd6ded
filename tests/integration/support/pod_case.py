"""A test case with the chart's pods where they really run."""

import re
import sys

from .agent import CONTROLLERS, Agent, make_image
from .api import path
from .case import ClusterCase
from .cluster import CHART, RELEASE, RELEASE_NAMESPACE, set_json
from .waiting import PATIENCE

NODES = ("agent-0", "agent-1")
HELM = f"{3 * PATIENCE:.0f}s"  # how long it waits for pods
# What the operator asks for in vain while the release is uninstalled, and may not ask for again.
UNINSTALLED = {(verb, "events.k8s.io", "events", ""): "helm removes the roles before the pod has ended"
               for verb in ("create", "patch")}


class PodCase(ClusterCase):
    """Each test begins with the release as RELEASED, values of the chart, has it, installed and ready.
    For programs that enter_network() has run."""

    VALUES = None
    OPTIONS = CONTROLLERS
    RELEASED = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.agent = Agent(cls.cluster, cls.images(cls.cluster.folder), NODES)
        cls.addClassCleanup(cls.agent.close)

    @classmethod
    def images(cls, folder):
        """Makes the images that pods run from, in that folder; returns their archives."""
        return [make_image(folder)]

    def setUp(self):
        self.release()

    def release(self):
        """Installs what each test begins with."""
        self.install(*self.RELEASED)

    def install(self, *values, chart=CHART, files=()):
        """Installs or upgrades the release, and waits until it is ready. `values` are for --set-json, `files` for
        --values."""
        self.cluster.helm("upgrade", "--install", RELEASE, chart, "--namespace", RELEASE_NAMESPACE,
                          "--create-namespace", "--wait", "--timeout", HELM,
                          *(f"--values={file}" for file in files), "--set", "image.repository=ballast",
                          *set_json(values))

    def roll_back(self, revision):
        self.helm("rollback", revision, "--wait", "--timeout", HELM)

    def revision(self):
        """The number of the release's revision."""
        return re.search(r"REVISION: (\d+)", self.helm("status"))[1]

    def helm(self, command, *words):
        return self.cluster.helm(command, RELEASE, "--namespace", RELEASE_NAMESPACE, *words)

    def pods(self):
        """The operator's pods."""
        return self.api.list(path("v1", "pods", RELEASE_NAMESPACE),
                             {"labelSelector": "app.kubernetes.io/name=ballast"})

    def show_failure(self, **folders):
        print("the agent's last lines:", *self.agent.lines[-30:], sep="\n  ", file=sys.stderr)
        for pod in self.pods():
            name = pod["metadata"]["name"]
            print(f"the last of {name}:\n{self.agent.log(name)[-3000:]}", file=sys.stderr)
        super().show_failure(pods=self.agent.folder / "logs", claims=self.agent.folder / "claims", **folders)
