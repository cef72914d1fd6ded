"""Waiting for a condition, with a deadline that allows for a busy machine."""

import time

# Long enough for two busy cores; most conditions hold within a second or two.
PATIENCE = 60.0


def wait_until(what, probe, timeout=PATIENCE, interval=0.1):
    """The first truthy value that probe() returns. `what` names it when it never comes; if that is
    a function, it is asked then, for what has been seen."""
    deadline = time.monotonic() + timeout
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(
                f"waited {timeout:.0f} s for {what() if callable(what) else what}")
        time.sleep(interval)
