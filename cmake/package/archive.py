"""Writes archives whose bytes depend on their content alone: sorted, with one time and given owners."""

import functools
import gzip
import io
import os
import subprocess
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@functools.cache
def build_time():
    """The seconds since 1970 that all files are from: $SOURCE_DATE_EPOCH, or the commit's time, or 0
    where the sources are no checkout."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    git = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return int(git.stdout) if git.returncode == 0 and git.stdout.strip() else 0


def compressed(content):
    """gzip's, without a time or a name. Level 9 takes three times as long and saves 1 %."""
    return gzip.compress(content, 6, mtime=0)


@dataclass
class Archive:
    """A tar archive that is being collected; `add` and the others take paths without a leading /."""
    members: dict = field(default_factory=dict)  # path: (TarInfo, bytes)

    def _insert(self, path, kind, mode, owner, content=b"", link=""):
        for parent in reversed(Path(path).parents):
            if str(parent) != "." and str(parent) not in self.members:
                self._insert(str(parent), tarfile.DIRTYPE, 0o755, 0)
        info = tarfile.TarInfo(path)
        info.type, info.mode, info.uid, info.gid = kind, mode, owner, owner
        info.size, info.linkname, info.mtime = len(content), link, build_time()
        self.members[path] = info, content

    def add(self, path, content, mode=0o644, owner=0):
        self._insert(path, tarfile.REGTYPE, mode, owner,
                     content.encode() if isinstance(content, str) else content)

    def folder(self, path, mode=0o755, owner=0):
        self._insert(path, tarfile.DIRTYPE, mode, owner)

    def link(self, path, target):
        self._insert(path, tarfile.SYMTYPE, 0o777, 0, link=target)

    def content(self):
        """The archive's bytes."""
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for path in sorted(self.members):
                info, content = self.members[path]
                tar.addfile(info, io.BytesIO(content))
        return stream.getvalue()
