#!/usr/bin/env python3
"""Runs README's commands line by line, where the chart's pod really runs: those of "Install", and those that ask about
an HPA beside which it was installed. Played are only those of programs that need a Docker engine or the internet; the
registry to push to is one on loopback."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from support.agent import PACKAGE, enter_network, make_image
from support.api import path
from support.cluster import CACHE, RELEASE, ROOT
from support.objects import deployment, hpa, namespaced, scale_down
from support.pod_case import UNINSTALLED, PodCase
from support.waiting import wait_until

sys.path.insert(0, str(PACKAGE))
from registry import Crane  # noqa: E402

NAMESPACE = "ballast"  # README's
REGISTRY = "registry.example.com"  # README's
# skopeo, from Debian's packages, which the long run's preparation fetches.
READERS = CACHE / "packages/image-readers"
README = (ROOT / "README.md").read_text()
VERSION = re.search(r"^appVersion: (\S+)$", (ROOT / "charts/ballast/Chart.yaml").read_text(), re.M)[1]
ARCHIVE = f"build/ballast-{VERSION}-image.tar"  # what `make image` leaves
# As in the manifest that README applies: the options, to which it adds one.
METRICS_SERVER = {"replicas": 0, "selector": {"matchLabels": {"k8s-app": "metrics-server"}}, "template": {
    "metadata": {"labels": {"k8s-app": "metrics-server"}},
    "spec": {"containers": [{"name": "metrics-server", "image": "metrics-server", "args": ["--secure-port=10250"]}]}}}


def commands(title):
    """The commands below that title, each as one line."""
    block = re.search(rf"\*\*{title}\*\*.*\n(?: {{0,3}}\S.*\n)*\n((?: {{4}}.*\n)+)", README)[1]
    return [line.strip() for line in block.replace("\\\n", "").splitlines()]


class ReadmeCase(PodCase):
    DENIED = UNINSTALLED

    def release(self):
        """Nothing: README installs it."""

    def setUp(self):
        super().setUp()
        self.cluster.release_namespace = NAMESPACE
        self.checkout = self.cluster.folder / "checkout"
        (self.checkout / "build").mkdir(parents=True, exist_ok=True)
        for name in "charts", "examples":
            link = self.checkout / name
            if not link.exists():
                link.symlink_to(ROOT / name)

    def run_(self, command):
        """What the command prints, which must succeed."""
        match shlex.split(command):
            case ["make", "image"]:
                shutil.copy(self.cluster.folder / "image-.tar", self.checkout / ARCHIVE)
            case ["kind", "create", "cluster"]:
                pass
            case ["kind", "load", "image-archive", file]:
                self.assertTrue((self.checkout / file).exists(), file)
            case ["kubectl", "apply", "-f", url] if url.startswith("https://"):
                self.cluster.namespace("kube-system").apply(
                    namespaced("apps/v1", "Deployment", "metrics-server", spec=METRICS_SERVER))
            case ["kubectl", "exec", "-n", namespace, pod, "--", *words] if namespace == NAMESPACE:
                return self.agent.execute(pod, RELEASE, *words)
            case _:
                return self.really_run(command)
        return ""

    def really_run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.checkout, capture_output=True, text=True, check=False,
                              env=self.cluster.environment | {
                                  "PATH": f"{self.cluster.dir / 'bin'}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, command + done.stdout + done.stderr)
        return done.stdout

    def install_in_kind(self):
        for command in commands("In kind"):
            self.run_(command)


class InstallTest(ReadmeCase):
    LOADS = {("shop", "web"): 300}  # 60 % of what the example requests

    def test_in_kind(self):
        self.install_in_kind()
        options = self.cluster.namespace("kube-system").get(namespaced("apps/v1", "Deployment", "metrics-server"))
        self.assertEqual(options["spec"]["template"]["spec"]["containers"][0]["args"],
                         ["--secure-port=10250", "--kubelet-insecure-tls"])
        said = {}
        for command in commands("Then"):
            said[command] = self.run_(command)
            if command.endswith("examples/web.yaml"):
                # On a node that plays pods, since its image cannot be had here.
                self.api.merge(self.cluster.namespace("shop").path(deployment("web")),
                               {"spec": {"template": {"spec": {"nodeName": "node-0"}}}})
        find = lambda word: next(text for command, text in said.items() if word in command)
        self.assertRegex(find("helm test"), r"Phase: +Succeeded")
        self.assertRegex(find("kubectl get asp"), r"^NAME .*\nweb +Deployment ")
        self.assertIn("shop/web", find("ballast why"))
        self.assertIn("scaleDown", find("kubectl explain"))


class OwnClusterTest(ReadmeCase):
    """The nodes pull from the registry to which README pushes."""

    @classmethod
    def images(cls, folder):
        crane = Crane()
        cls.registry = cls.enterClassContext(crane.registry())
        make, copy, _ = commands("In a cluster of yours")
        assert make == "make image", make
        (folder / ARCHIVE).parent.mkdir()
        make_image(folder).rename(folder / ARCHIVE)
        libraries = f"{READERS}/usr/lib/x86_64-linux-gnu:{READERS}/lib/x86_64-linux-gnu"
        program, *words = shlex.split(copy.replace(REGISTRY, cls.registry))
        subprocess.run([READERS / "usr/bin" / program, "--tmpdir", folder, "--insecure-policy", *words,
                        "--dest-tls-verify=false"], check=True, cwd=folder, env=os.environ | {"LD_LIBRARY_PATH": libraries})
        pulled = folder / "pulled.tar"
        crane("pull", f"{cls.registry}/ballast:{VERSION}", pulled)
        return [pulled]

    def test_each_line(self):
        *_, install = commands("In a cluster of yours")
        self.really_run(install.replace(REGISTRY, self.registry))
        pod, = self.api.list(path("v1", "pods", NAMESPACE), {})
        self.assertEqual(pod["spec"]["containers"][0]["image"], f"{self.registry}/ballast:{VERSION}")
        self.assertIn(f"ballast {VERSION} ", self.agent.execute(f"{RELEASE}-0", RELEASE, "ballast", "version"))


class BesideHpasTest(ReadmeCase):
    LOADS = {("shop", "web"): 50}
    OPTIONS = (*PodCase.OPTIONS, "--hpa-controller")

    def test_it_changes_nothing_and_answers(self):
        shop, target = self.cluster.namespace("shop"), deployment("web")
        scaler = hpa("web", target, max_replicas=5, behavior=scale_down(0))
        shop.apply(target, scaler)
        wait_until("the HPA to be served", lambda: shop.get(scaler).get("status", {}).get("currentMetrics"))
        before = {object_["kind"]: shop.get(object_)["spec"] for object_ in (target, scaler)}
        self.install_in_kind()
        history, why = commands("Observe.")
        wait_until(lambda: f"a record: {self.run_(history)}",
                   lambda: re.search(r" 1 +ReadyForNewScale: ", self.run_(history)))
        self.assertRegex(self.run_(why), r"^shop/web stayed at 1 replica: ")
        self.assertEqual({object_["kind"]: shop.get(object_)["spec"] for object_ in (target, scaler)}, before)

        self.load.set("web", 150)
        wait_until("the HPA's controller to scale", lambda: shop.replicas(target) == 3)
        scaled = r"1 -> 3 +observed .*New size: 3; reason: cpu resource utilization"
        wait_until(lambda: f"its reason: {self.run_(history)}", lambda: re.search(scaled, self.run_(history)))

        shadow, = commands("Compare.")
        self.run_(shadow)
        wait_until(lambda: f"the shadow's word: {self.run_(why)}",
                   lambda: "in its controller's place, Ballast would have left it there" in self.run_(why))
        self.assertEqual(self.cluster.scale_writes("shop"), [])
        for object_ in target, scaler:
            self.assertNotIn("ballast", [entry["manager"] for entry in shop.get(object_)["metadata"]["managedFields"]])


if __name__ == "__main__":
    enter_network()
    unittest.main()
