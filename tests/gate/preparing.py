"""Fetches and builds what needs the network, so that no build and no test does after it."""

import time

from .building import ENVIRONMENT_FAILED, Stop, run, say

CONTROL_PLANE = ("tests/cluster/cluster", "build", "--metrics", "player")
CRANE = ("cmake/package/go-tool", "cmake/package/crane", "binary")
SKIPPED = 77  # there is no suitable Go

FOR_LONG = (
    ("cmake/package/sysroot",),
    ("cmake/package/go-tool", "tests/krew", "binary"),
    (".ci/unpack", "prometheus", "prometheus"),
    (".ci/unpack", "image-readers", "containerd", "libassuan0", "libdevmapper1.02.1", "libgpgme11", "skopeo"),
    ("tests/cluster/cluster", "build", "--prometheus-adapter", "--prom-label-proxy", "--helm4"),
    ("tests/cluster/cluster", "build", "--kubernetes", "1.36"),
    ("tests/cluster/cluster", "build", "--kubernetes", "1.29"),
    ("tests/peer/peer", "binary"),
    ("tests/peer/peer", "--kubernetes", "1.36", "binary"))


def prepare(long=False):
    """Returns whether there is a control plane: where there is no suitable Go, there is none."""
    if not attempt(CONTROL_PLANE):
        return False
    for command in (CRANE, *(FOR_LONG if long else ())):
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
    raise Stop(ENVIRONMENT_FAILED, f"environment: {' '.join(command)}: see above")
