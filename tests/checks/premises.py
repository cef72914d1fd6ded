"""What a test must not assume, since a slow machine, another order or a network would break it
(CONTRIBUTING.md, "What `make test` runs"), as far as a line of the sources tells."""

import re

# Above the pattern: what it is, and what to do instead. A line that ends with EXCUSE is a wait.
EXCUSE = re.compile(r"(#|//) a wait$")

PYTHON = {
    "a duration of real time is asserted; assert recorded times, or wait":
        re.compile(r"\bassert(Less|Greater)(Equal)?\(.*\b(monotonic|time)\(\)"),
    "an input is random; take the seed from support/long_form.py":
        re.compile(r"\b(seed|Random)\(.*\btime\(|\bRandom\(\)|\bSystemRandom\b"),
    "a test fetches something; tests/gate/preparing.py is for that":
        re.compile(r"apt-get|\bgo\b.*\bmod\b.*\bdownload\b|\burlretrieve\b|\bpip3? install\b"),
}
CPP = {
    "an input is random; use a fixed seed":
        re.compile(r"\brandom_device\b|\b(mt19937(_64)?|seed)\b.*\bnow\(\)"),
    "a duration of real time is asserted; use the fake clock, or wait":
        re.compile(r"\b(EXPECT|ASSERT)_(LT|LE|GT|GE)\(.*\b(steady_clock|system_clock)::now\(\)"),
    "a connection is given milliseconds; a slow machine needs more, so let something else end first":
        re.compile(r"\b(Connect|Serve)\(.*\b\d+ms\b"),
}


def premises(name, text):
    """Yields "file:line: what is wrong" for a test's source; `name` is its path in the project."""
    if re.match(r"tests/(integration|demo|peer)/", name) and not name.endswith((".cc", ".h")):
        forbidden = PYTHON
    elif name.endswith("_test.cc"):
        forbidden = CPP
    else:
        return
    for number, line in enumerate(text.splitlines(), 1):
        for what, pattern in forbidden.items():
            if pattern.search(line) and not EXCUSE.search(line):
                yield f"{name}:{number}: {what}"
