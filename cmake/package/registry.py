"""crane, and a registry of its own on loopback, in which it puts images together."""

import contextlib
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


class Crane:
    """Runs crane with nobody's credentials."""

    def __init__(self):
        found = subprocess.run([PACKAGE / "go-tool", PACKAGE / "crane", "binary"], stdout=subprocess.PIPE, text=True)
        if found.returncode:
            sys.exit(found.returncode)  # it has said why
        self.program = found.stdout.strip()

    def __call__(self, *words):
        """What it prints."""
        with tempfile.TemporaryDirectory() as nobodys:
            done = subprocess.run([self.program, *words], env={"DOCKER_CONFIG": nobodys}, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"crane {' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout.strip()

    @contextlib.contextmanager
    def registry(self):
        """The address of a registry that keeps what it gets in memory, for as long as the context is."""
        command = ["setpriv", "--pdeathsig", "KILL", self.program, "registry", "serve", "--address", "127.0.0.1:0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            said = process.stderr.readline()
            port = re.search(r"serving on port (\d+)", said)
            if not port:
                raise SystemExit(f"crane registry serve: {(said + process.stderr.read()).strip()}")
            # It logs each request.
            reader = threading.Thread(target=process.stderr.read)
            reader.start()
            try:
                yield f"127.0.0.1:{port[1]}"
            finally:
                process.kill()
                reader.join()
