"""Fetches and builds what needs the network, so that no build and no test does after it."""

import re
import subprocess
import time

from .building import ENVIRONMENT_FAILED, ROOT, Stop, run, say

CONTROL_PLANE = ("tests/cluster/cluster", "build", "--metrics", "player")
CRANE = ("cmake/package/go-tool", "cmake/package/crane", "binary")
SKIPPED = 77  # there is no suitable Go

# What the long run has beside that, and the tests that need it: a regular expression, searched in their names.
FOR_LONG = (
    ("arm64|publish", ("cmake/package/sysroot",)),
    ("publish", ("cmake/package/go-tool", "tests/krew", "binary")),
    ("alerts|examples|prometheus|prom_label_proxy", (".ci/unpack", "prometheus", "prometheus")),
    ("image|readme",
     (".ci/unpack", "image-readers", "containerd", "libassuan0", "libdevmapper1.02.1", "libgpgme11", "skopeo")),
    ("helm4|prometheus_adapter|prom_label_proxy",
     ("tests/cluster/cluster", "build", "--prometheus-adapter", "--prom-label-proxy", "--helm4")),
    (r"kubernetes-1\.36|versions", ("tests/cluster/cluster", "build", "--kubernetes", "1.36")),
    (r"kubernetes-1\.29", ("tests/cluster/cluster", "build", "--kubernetes", "1.29")),
    ("peer", ("tests/peer/peer", "binary")),
    ("peer", ("tests/peer/peer", "--kubernetes", "1.36", "binary")))

# Lists of Debian's packages beside those of the gate, and the suites and tests that need them, likewise.
LISTS = (("^arm64$", "packages-arm64"), ("^(fuzz|install|lint|long)$|dockerfile|gitops", "packages-long"))


def expect_packages(names):
    """Stops where Debian's packages are missing that the suites and tests of these names need."""
    for needed_by, packages in LISTS:
        needing = [name for name in names if re.search(needed_by, name)]
        missing = missing_of(packages) if needing else []
        if missing:
            raise Stop(ENVIRONMENT_FAILED, f"environment: for {', '.join(needing)}, `.ci/install {packages}` installs what is "
                                           f"missing of .ci/{packages}: {', '.join(missing)}")


def missing_of(packages):
    return subprocess.run([".ci/install", "--missing", packages], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()


def prepare(tests=()):
    """Prepares also what these tests of the long run need (None: all of them). Returns whether there is a control
    plane: where there is no suitable Go, there is none."""
    if not attempt(CONTROL_PLANE):
        return False
    attempt(CRANE)
    for needed_by, command in FOR_LONG:
        if tests is None or any(re.search(needed_by, test) for test in tests):
            attempt(command)
    return True


def attempt(command):
    """Runs what may fail because of the network, three times at most: what was fetched or built by a try
    that failed is kept for the next one. Returns whether this machine can do it at all."""
    for wait in (2, 10, None):
        status = run(command)
        if status in (0, SKIPPED):
            return status == 0
        if wait:
            say(f"{command[0]} failed with status {status}; once more in {wait} s")
            time.sleep(wait)
    raise Stop(ENVIRONMENT_FAILED, f"environment: {' '.join(command)} failed, see above; it needs the network, once: "
                                   "run `make prepare` where there is one")
