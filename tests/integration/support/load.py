"""The load of pods, controlled by the test."""

import json
import subprocess
import threading

from .cluster import ROOT
from .waiting import PATIENCE, wait_until

TOOL = ROOT / "tests/cluster/load"
STEER = "/apis/metrics.k8s.io/v1beta1/steer"


class Loads:
    """Makes pods use CPU until close(), by the load player that is part of the control plane. Any thread may use
    it."""

    def __init__(self, api, loads):
        """`loads`: {(namespace, app): mCPU} that the pods with the label app=APP share. It must name every app
        that ever has a load."""
        self._api, self._names = api, list(loads)
        for (namespace, app), milli in loads.items():
            self._play(namespace, app, milli, 0)

    def set(self, app, milli, memory=0):
        """Makes the pods of `app` share `milli` thousandths of a core and `memory` MiB from now on."""
        for namespace, name in self._names:
            if name == app:
                self._play(namespace, app, milli, memory)

    def close(self):
        for namespace in {namespace for namespace, _ in self._names}:
            self._steer(f"drop {namespace}")

    def _play(self, namespace, app, milli, memory):
        self._steer(f"play {namespace} app={app} {milli}m:{memory}Mi")

    def _steer(self, command):
        self._api.request("POST", STEER, command)


class LoadPlayer:
    """Makes pods use CPU until close(), and serves metrics.k8s.io unless metrics-server does. Ends
    with this process."""

    def __init__(self, cluster, loads, metrics="player", options=(), resolution=None):
        """`loads`: {(namespace, app): mCPU} that the pods with the label app=APP share. It must
        name every app that ever has a load, and each once. `metrics`: as in `cluster up`.
        `options`: further ones of each load. `resolution`: seconds between two samples."""
        via = {"player": "api", "real": "kwok"}[metrics]
        command = [TOOL, "--kubeconfig", cluster.dir / "kubeconfig", "--via", via, "--steer"]
        if resolution:
            command += ["--resolution", f"{resolution}s"]
        for (namespace, app), milli in loads.items():
            command += ["--namespace", namespace, "--selector", f"app={app}", "--at", f"{milli}m", *options]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True,
                                         start_new_session=True)
        self._lock = threading.Lock()  # guards: the process' stdin
        self.lines = []  # its output: one line for each change of a load or of the ready pods
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        wait_until("the load player", lambda: self.lines or self._process.poll() is not None)
        if not self.lines:
            raise AssertionError(f"the load player ended: {self._process.stderr.read()}")

    def _read(self):
        for line in self._process.stdout:
            self.lines.append(json.loads(line))

    def set(self, app, milli, memory=0, next_sample=False):
        """Makes the pods of `app` share `milli` thousandths of a core and `memory` MiB from now on, or
        from the next sample on. Any thread may call it."""
        self._steer(f"{'next ' if next_sample else ''}total app={app} {milli}m:{memory}Mi")

    def align(self, at):
        """Lets a sample be taken at that time, in seconds since 1970, and a resolution after the other
        before and after it."""
        self._steer(f"align {at:.3f}")

    def _steer(self, command):
        with self._lock:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()

    def close(self):
        if self._process.stdin.closed:
            return
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._reader.join()
        self._process.stdout.close()
        self._process.stderr.close()
