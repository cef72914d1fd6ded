"""Waiting for a condition, with a deadline that allows for a busy machine."""

import time

# Long enough for two busy cores; most conditions hold within a second or two.
PATIENCE = 60.0


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
