"""Waiting for a condition, with a deadline that allows for a busy machine."""

import os
import time

# Seconds, long enough for two busy cores; most conditions hold within a second or two. No promise: on a
# machine that is busier, BALLAST_PATIENCE multiplies it, and with it all other deadlines.
PATIENCE = 60.0 * float(os.environ.get("BALLAST_PATIENCE", 1))
# For an HPA to be managed: a claim stands for a minute, after a quiet minute if there was another writer.
CLAIM = 2 * 60.0 + PATIENCE


def wait_until(what, probe, timeout=PATIENCE, interval=0.1):
    """Returns the first truthy value of probe(). If none comes in time, raises AssertionError with
    `what`; if that is a function, with its result."""
    deadline = time.monotonic() + timeout
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(
                f"waited {timeout:.0f} s for {what() if callable(what) else what}")
        time.sleep(interval)
