"""Earlier versions of the project, from its own history."""

import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from .cluster import CACHE, ROOT, SKIPPED

VERSIONS = CACHE / "versions"


class Version:
    """A commit's program and chart. The program is built once, and kept in the cache. Where the history
    does not have the commit, ends this process with the status SKIPPED."""

    def __init__(self, commit):
        self.commit, self.folder = commit, VERSIONS / commit
        if not self.folder.exists():
            self._make()
        self.program, self.chart = self.folder / "ballast", self.folder / "chart"

    def _make(self):
        packed = subprocess.run(["git", "-C", ROOT, "archive", self.commit], capture_output=True)
        if packed.returncode:
            print(f"{self.commit} is not in this checkout's history: {packed.stderr.decode().strip()}",
                  file=sys.stderr)
            raise SystemExit(SKIPPED)
        VERSIONS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=VERSIONS) as folder:
            source, made = Path(folder) / "source", Path(folder) / "made"
            with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
                archive.extractall(source)
            print(f"building {self.commit}, for minutes and once", file=sys.stderr, flush=True)
            for words in (["--preset", "release"], ["--build", "--preset", "release", "--target", "ballast"]):
                done = subprocess.run(["cmake", *words], cwd=source, stdout=subprocess.PIPE, text=True,
                                      env=os.environ | {"BALLAST_COMMIT": self.commit})
                if done.returncode:
                    raise AssertionError(f"{self.commit} cannot be built:\n{done.stdout[-4000:]}")
            made.mkdir()
            (source / "build/ballast").rename(made / "ballast")
            (source / "charts/ballast").rename(made / "chart")
            made.rename(self.folder)
