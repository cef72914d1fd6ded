"""Configures and builds the targets of suites."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
JOBS = os.environ.get("JOBS", str(os.cpu_count()))

# GB on the disk that all of a preset's targets take; what is linked with a sanitizer is large.
TAKES = {"release": 1, "asan": 7, "tsan": 3}
OTHERS_TAKE = 2

# Exit statuses of tests/run. 2 means that it was used wrong.
TEST_FAILED, ENVIRONMENT_FAILED, BUILD_FAILED = 1, 3, 4


class Stop(Exception):
    """The run cannot go on; the message says why, `status` is the exit status."""

    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


def say(text):
    print(f"== {text}", flush=True)


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, **options).returncode


def folder(preset):
    return ROOT / ("build" if preset == "release" else f"build-{preset}")


def command(suite):
    return ["cmake", "--build", "--preset", suite.preset, "-j", JOBS, "--target", *suite.targets]


def expect_room(presets):
    """Stops where the disk has too little room for what is built from nothing, before hours go into it."""
    wanted = sum(TAKES.get(preset, OTHERS_TAKE) for preset in presets if not folder(preset).exists())
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < wanted:
        raise Stop(ENVIRONMENT_FAILED, f"environment: what is to be built takes {wanted} GB in {ROOT}, and "
                                       f"{free:.1f} GB are free: make room, or use a checkout on another disk")


def configure(preset):
    """Configures once."""
    if not (folder(preset) / "build.ninja").exists():
        say(f"{preset}: configuring")
        if run(["cmake", "--preset", preset], stdout=subprocess.DEVNULL):
            raise Stop(BUILD_FAILED, f"build of {preset}: cmake failed; see above")


def build(suite):
    """Builds the suite's targets, and what it is tested beside."""
    if suite.beside:
        build(suite.beside)
    configure(suite.preset)
    say(f"{suite.preset}: building")
    if run(command(suite)):
        raise Stop(BUILD_FAILED, f"build of {suite.preset}: see above")


@contextlib.contextmanager
def building_meanwhile(suite):
    """Builds in the processor time that is left; the rest is built later, when what fails is printed."""
    configure(suite.preset)
    # The lowest priority, also among sessions, which Linux schedules as groups (sched(7)).
    humble = 'echo 19 >/proc/self/autogroup; exec nice -n 19 "$@"'
    process = subprocess.Popen(
        ["sh", "-c", humble, "sh", *command(suite)], cwd=ROOT, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)  # what is not finished is removed
        process.wait()
