"""Runs the operator's process and the program's commands, and collects the operator's log."""

import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

from .cluster import ROOT
from .waiting import PATIENCE, wait_until

BALLAST = os.environ.get("BALLAST_BINARY", str(ROOT / "build/ballast"))


class Operator:
    """`ballast operator`, started when constructed. Several may use one store in turn."""

    def __init__(self, kubeconfig, store, *flags, program=BALLAST):
        self.log = []  # its JSON lines, in order
        # The operator ends with this process, even if that is killed.
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", program, "operator",
             "--kubeconfig", kubeconfig, "--store", store, *flags],
            stderr=subprocess.PIPE, text=True, errors="backslashreplace", start_new_session=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stderr:
            try:
                self.log.append(json.loads(line))
            except ValueError:
                self.log.append({"level": "raw", "msg": line.rstrip()})

    @property
    def running(self):
        return self._process.poll() is None

    @property
    def pid(self):
        return self._process.pid

    def resident(self):
        """Its resident memory in bytes."""
        pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE")

    def peak(self):
        """The most that its resident memory has ever been, in bytes."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+) kB$", status, re.M)[1]) * 1024

    def threads(self):
        """The names of its threads, sorted."""
        return sorted(file.read_text().strip()
                      for file in Path(f"/proc/{self._process.pid}/task").glob("*/comm"))

    def signal(self, number):
        self._process.send_signal(number)

    def kill(self):
        """Sends SIGKILL; does not wait for its end."""
        self._process.kill()

    def wait(self, timeout=PATIENCE):
        """Waits for its end; returns the exit status."""
        status = self._process.wait(timeout)
        self._reader.join()
        self._process.stderr.close()
        return status

    def stop(self):
        """Stops it by SIGTERM; returns the exit status."""
        if self.running:
            self._process.send_signal(signal.SIGTERM)
        return self.wait()

    def close(self):
        """Kills it if it still runs."""
        if self.running:
            self.kill()
            self.wait()

    def lines(self, message, /, **fields):
        """The log lines with that message whose fields contain the given texts."""
        return [line for line in list(self.log)
                if line["msg"] == message
                and all(str(text) in str(line.get(key, "")) for key, text in fields.items())]

    def wait_for(self, message, /, timeout=PATIENCE, interval=0.1, **fields):
        """Waits for the first such log line, and returns it."""
        def probe():
            found = self.lines(message, **fields)
            if not found and not self.running:
                raise AssertionError(f"the operator ended; its last lines: {self.log[-5:]}")
            return found
        return wait_until(lambda: f"log line {message!r} {fields}; the last: {self.log[-5:]}",
                          probe, timeout, interval)[0]

    def wait_ready(self):
        self.wait_for("ready")
        return self


def ballast(*words, input_=None):
    """Runs the program; returns the finished process."""
    return subprocess.run([BALLAST, *map(str, words)], input=input_, capture_output=True, text=True)
