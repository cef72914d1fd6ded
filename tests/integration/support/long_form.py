"""What differs between the run that guards every change and the long one, which has BALLAST_TEST_LONG set
in its environment."""

import os
import time
import unittest

LONG = "BALLAST_TEST_LONG" in os.environ

# For a test that takes long, or whose promise something quicker guards as well.
only_long = unittest.skipUnless(LONG, "only in the long run")


def seed():
    """Returns a seed of random inputs, and prints it: BALLAST_SEED, else always the same, in the long run a
    new one."""
    value = int(os.environ.get("BALLAST_SEED", time.time() if LONG else 1))
    print(f"BALLAST_SEED={value}", flush=True)
    return value
