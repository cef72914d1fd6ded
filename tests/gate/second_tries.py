"""Which tests were tried twice: in this run, and in the journal of earlier runs.

A test with CTest's label `real` (tests/real_tests says which and why) meets sockets, processes and
clocks, so it may fail once: then it runs again, alone. A run allows three such tests."""

import json
import os
from collections import Counter
from pathlib import Path

ALLOWED = 3  # in one run
RECENT = 20  # the runs that `tests/run flakes` looks at
OFTEN = 2  # of them: then the test is mended, or leaves the gate

CACHE = Path(os.environ.get("BALLAST_CACHE") or
             Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ballast")
JOURNAL = CACHE / "flakes.ndjson"


def note(time, commit, tests, journal=JOURNAL):
    """Appends a run: a line for each test that was tried twice, and one without a test."""
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a", encoding="utf-8") as file:
        for test in (None, *tests):
            file.write(json.dumps({"time": time, "commit": commit, "test": test}) + "\n")


def often(journal=JOURNAL):
    """[(test, how often)] of those that were tried twice in several of the recent runs."""
    if not journal.exists():
        return []
    entries = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    runs = [entry["time"] for entry in entries if entry["test"] is None][-RECENT:]
    counts = Counter(entry["test"] for entry in entries if entry["test"] and entry["time"] in runs)
    return [(test, count) for test, count in counts.most_common() if count >= OFTEN]
