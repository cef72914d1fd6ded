"""Which long tests guard what has changed since the gate was last green."""

import os
import subprocess

from .building import ROOT
from .second_tries import CACHE

LIST = ROOT / "tests/long_tests"
GREEN = CACHE / "green"  # the newest commit at which the gate was green


def guards(text):
    """{test: (beginnings of paths, ...)} of a text like that of LIST. Each test guards its own source."""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, *paths = line.split()
            found[name] = (*paths, f"tests/integration/{name.rpartition('.')[2]}_test.py")
    return found


def guarding(changed, text):
    """The tests that guard one of the paths."""
    return [name for name, paths in guards(text).items() if any(path.startswith(paths) for path in changed)]


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def commit():
    """The present commit, with -dirty if something differs from it."""
    return git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*").stdout.strip()


def note_green():
    """Remembers the present commit, if nothing differs from it."""
    if not commit().endswith("-dirty"):
        GREEN.write_text(git("rev-parse", "HEAD").stdout, encoding="utf-8")


def print_guards():
    base = GREEN.read_text(encoding="utf-8").strip() if GREEN.exists() else os.environ.get("BALLAST_BASE", "")
    changes = git("diff", "--name-only", base) if base else None
    if changes is None or changes.returncode:
        print("== no run was green yet on this machine: BALLAST_BASE=COMMIT says what changes count from")
        return
    if names := guarding(changes.stdout.splitlines(), LIST.read_text(encoding="utf-8")):
        print(f"== these long tests guard what changed since {base[:12]}: tests/run long {' '.join(names)}")
