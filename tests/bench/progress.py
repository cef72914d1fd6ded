"""What a run of a benchmark says while it lasts."""

import sys
import time


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def begin(seconds):
    """Says how long the run takes, about."""
    end = time.strftime("%H:%M", time.localtime(time.time() + seconds))
    say(f"{sys.argv[0]}: takes some {max(1, round(seconds / 60))} minutes, until {end}")
