"""Nodes on which the containers of pods really run, in a network of the test's own."""

import os
import subprocess
import sys
import threading
from pathlib import Path

from .cluster import ROOT, SKIPPED, TOOL
from .process import BALLAST
from .waiting import PATIENCE

AGENT = ROOT / "tests/cluster/agent"
PACKAGE = ROOT / "cmake/package"
INSIDE = "BALLAST_TEST_NETWORK"  # set in the environment of a program that is in its own network
# What the control plane needs besides: who makes the endpoints of Services, and lets claims go.
CONTROLLERS = ("--flag", "kube-controller-manager=--controllers="
               "endpointslice-controller,persistentvolumeclaim-protection-controller")


def enter_network():
    """Runs this program again in a network of its own, which has nothing but a loopback interface. Where
    that is not allowed, ends it with the status SKIPPED."""
    if INSIDE in os.environ:
        return
    # From there, no module could be fetched.
    if subprocess.run([TOOL, "build", "--metrics", "player"]).returncode == SKIPPED:
        raise SystemExit(SKIPPED)
    rights = () if os.geteuid() == 0 else ("--map-root-user", "--map-auto")
    unshare = ["unshare", *rights, "--net", "--mount"]
    loopback = "ip link set lo up && mount -t tmpfs none /mnt"
    tried = subprocess.run([*unshare, "sh", "-c", loopback], stderr=subprocess.PIPE, text=True)
    if tried.returncode:
        print(f"namespaces are not allowed here: {tried.stderr.strip()}", file=sys.stderr)
        raise SystemExit(SKIPPED)
    command = [*unshare, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, "-B", *sys.argv]
    os.execvpe(command[0], command, os.environ | {INSIDE: "1"})


def make_image(folder, program=BALLAST, tag=""):
    """Packs the image as `make image` does, with that tag if there is one; returns its archive."""
    image = folder / f"image-{tag}.tar"
    subprocess.run([PACKAGE / "image.py", *(["--tag", tag] if tag else []), image, program], check=True)
    return image


class Agent:
    """Runs pods from its construction until close(). `images`: their archives; `nodes`: the names of its
    nodes."""

    def __init__(self, cluster, images, nodes=("agent-0",)):
        self.folder = cluster.folder / "agent"
        command = ["setpriv", "--pdeathsig", "KILL", AGENT, "--folder", self.folder,
                   "--kubeconfig", cluster.dir / "kubeconfig"]
        for image in images:
            command += ["--image", image]
        for node in nodes:
            command += ["--node", node]
        self.lines = []  # what it says of the pods
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         text=True, start_new_session=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if self._process.stdout.readline() != "ready\n":
            self._process.wait()
            self._reader.join()
            raise AssertionError(f"the agent ended: {self.lines}")

    def _read(self):
        for line in self._process.stderr:
            self.lines.append(line.rstrip())

    def log(self, pod):
        """The output of the pod's containers, oldest first."""
        files = sorted((self.folder / "logs").glob(f"*_{pod}_*.log"), key=lambda file: file.stat().st_mtime)
        return "".join(file.read_text() for file in files)

    def claim(self, claim):
        """The folder of a PersistentVolumeClaim (the object)."""
        return self.folder / "claims" / claim["metadata"]["uid"]

    def process(self, pod, container):
        """The process id of the pod's container that runs."""
        found = [line for line in self.lines if f"/{pod}: container {container} runs as process" in line]
        return int(found[-1].split()[-1])

    def entering(self, pod, container):
        """The words before a command that run it in the container."""
        pid = str(self.process(pod, container))
        user = os.stat(f"/proc/{pid}").st_uid
        return ["nsenter", "--target", pid, "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd",
                "--setgid", str(user), "--setuid", str(user), "--"]

    def execute(self, pod, container, *words):
        """Runs a command in the container, as `kubectl exec` does; returns its standard output."""
        own = Path(f"/proc/{self.process(pod, container)}/environ").read_text().rstrip("\0")
        return subprocess.run([*self.entering(pod, container), *words], check=True, capture_output=True, text=True,
                              env=dict(entry.split("=", 1) for entry in own.split("\0"))).stdout

    def close(self):
        self._process.terminate()
        self._process.wait(PATIENCE)
        self._reader.join()
        self._process.stdout.close()
        self._process.stderr.close()
