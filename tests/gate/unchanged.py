"""Which exact tests need not run again: programs that passed with the same bytes, words and data.

What a test's command and environment name is all that it may read, beside the system's packages. Scripts
read the whole tree, so they always run; so do real tests, and others that are not the same each time."""

import hashlib
import json
import os
import subprocess
from pathlib import Path

from .building import ROOT, TEST_FAILED, Stop, folder
from .second_tries import CACHE

PASSED = CACHE / "passed"  # a key a line
KEPT = 20_000  # keys: some hundred runs of the gate in which everything changed
PACKAGES = Path("/var/lib/dpkg/status")
# Labels of tests with sockets, of which chance decides when they answer, and of those with new seeds.
BY_CHANCE = {"sockets", "search"}
RACES = "tsan"  # the preset whose tests look at the order of threads, which chance decides too
# Settings of a run on which no result depends.
HARMLESS = {"BALLAST_BASE", "BALLAST_CACHE", "BALLAST_EVIDENCE", "BALLAST_PATIENCE"}


def keys(preset, selection):
    """{name: key} of those programs among the tests that CTest's words select."""
    if preset == RACES:
        return {}
    told = subprocess.run(["ctest", "--preset", preset, *selection, "--show-only=json-v1"], cwd=ROOT,
                          stdout=subprocess.PIPE, text=True)
    if told.returncode:
        raise Stop(TEST_FAILED, f"{preset}: ctest cannot list its tests; see above")
    return {test["name"]: key_of(test, folder(preset)) for test in json.loads(told.stdout)["tests"]
            if Path(test.get("command", ["/"])[0]).is_relative_to(folder(preset))
            and not BY_CHANCE & set(properties(test).get("LABELS", []))}


def properties(test):
    return {each["name"]: each["value"] for each in test.get("properties", [])}


def key_of(test, built):
    """A hash of all that the test, as CTest's --show-only tells it, depends on; `built` is the build's folder."""
    said = hashlib.sha256(str(built.relative_to(ROOT)).encode())
    inherited = sorted(f"{name}={value}" for name, value in os.environ.items()
                       if name.startswith("BALLAST_") and name not in HARMLESS)
    for word in (*test["command"], *properties(test).get("ENVIRONMENT", []), *inherited, str(PACKAGES)):
        name, _, path = word.rpartition("=")
        said.update(f"{name}\0{path if not os.path.isabs(path) else ''}\0".encode())
        for file in files(Path(path)) if os.path.isabs(path) else ():
            said.update(f"{file.relative_to(path)}\0{file.stat().st_size}\0".encode())
            said.update(file.read_bytes())
    return said.hexdigest()


def files(path):
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())


def known():
    """The keys of tests that have passed, the newest last."""
    return PASSED.read_text(encoding="utf-8").split() if PASSED.exists() else []


def note(new):
    """Remembers the keys of tests that have passed."""
    PASSED.parent.mkdir(parents=True, exist_ok=True)
    PASSED.write_text("".join(f"{key}\n" for key in [*known(), *new][-KEPT:]), encoding="utf-8")
