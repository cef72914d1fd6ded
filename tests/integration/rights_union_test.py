#!/usr/bin/env python3
"""Compares what the operators of all tests with a cluster asked for with the rights that the chart grants by
default: rights_union_test.py FOLDER NAME... The tests of these names have left in FOLDER what their classes
asked for, and RightsTest what is granted. Each right must have been used, or be listed here with its reason."""

import json
import re
import sys
from pathlib import Path

from support.cluster import SKIPPED
from support.rights import AFTER_A_MONTH, unused

# {(verb, group, resource, name): why no test uses it}
UNUSED = {right: "an override is deleted 30 days after its end" for right in AFTER_A_MONTH}
GRANTED = "granted.RightsTest"


def read(file):
    return set(map(tuple, json.loads(file.read_text())))


def expected(name):
    """The names of the classes that the test of that name has."""
    text = (Path(__file__).parent / f"{name}_test.py").read_text()
    return [f"{name}_test.{class_}" for class_ in re.findall(r"^class (\w+Test)\(\w+\):", text, re.M)]


def main(folder, *names):
    files = {file.stem: file for file in Path(folder).glob("*.json")}
    missing = {GRANTED, *(class_ for name in names for class_ in expected(name))} - set(files)
    if missing:
        print("these did not run, or left no word of it:", *sorted(missing))
        return SKIPPED
    granted = read(files[GRANTED])
    classes = [file for name, file in files.items() if not name.startswith("granted.")]
    left = unused(granted, set().union(*map(read, classes)))
    found = [f"no test uses the right {right}" for right in sorted(left - set(UNUSED))]
    found += [f"a test uses the right {right}; its reason is outdated" for right in sorted(set(UNUSED) - left)]
    print("\n".join(found) or
          f"{len(granted)} rights, {len(granted - left)} of them used, by the operators of {len(classes)} classes")
    if not found:
        for file in files.values():  # the next run makes its own
            file.unlink()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
