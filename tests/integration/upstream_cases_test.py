#!/usr/bin/env python3
"""Tests that docs/upstream-cases.md has every end-to-end case that upstream has for the HPA, and says
how each is played here. Upstream's sources are in the module of the control plane."""

import re
import shutil
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

from support.cluster import ROOT, SKIPPED
from support.upstream_cases import UPSTREAM_CASES

TABLE = ROOT / "docs/upstream-cases.md"
ROW = re.compile(r"^\| (?P<group>[^|]+) \| (?P<title>[^|]+) \| `(?P<case>[\w-]+)` "
                 r"\| (?P<played>always|long) \|$", re.MULTILINE)
FILES = "horizontal_pod_auto*.go"
CONSTANT = re.compile(r'^\t(\w+)\s+= "(.*)"$', re.MULTILINE)
# Upstream's group of cases, subject and case, as Go has their titles: a case's has constants too.
NODE = re.compile(r'SIGDescribe\([^"]*"Horizontal pod autoscaling \(([^"]*)\)"|'
                  r'\.Describe\("([^"]*)"|'
                  r'\.It\(((?:\w+|"[^"]*")(?:\+(?:\w+|"[^"]*"))*),')


def rows():
    return [match.groupdict() for match in ROW.finditer(TABLE.read_text())]


def module():
    """The folder of upstream's sources, from which the control plane was built."""
    return Path(subprocess.run(
        ["go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes"], check=True, text=True,
        stdout=subprocess.PIPE, cwd=ROOT / "tests/cluster/modules/kubernetes").stdout.strip())


def cases_of(text):
    """(group, title) of each case in a source file of upstream's, in order."""
    constants = dict(CONSTANT.findall(text))
    where, subject = "", ""
    for group, described, title in NODE.findall(text):
        if group:
            where, subject = group, ""
        elif described:
            subject = described + ": "
        else:
            yield where, subject + "".join(constants.get(part, part.strip('"'))
                                           for part in title.split("+"))


class UpstreamCasesTest(unittest.TestCase):
    def test_every_case_is_played_as_the_table_says(self):
        self.assertEqual(
            {row["case"]: row["played"] for row in rows()},
            {case.name: "long" if case.long else "always" for case in UPSTREAM_CASES})

    def test_the_table_has_every_case_of_upstream(self):
        if not shutil.which("go"):
            print("there is no Go to find upstream's sources", file=sys.stderr)
            raise SystemExit(SKIPPED)
        found = [case for file in sorted((module() / "test/e2e/autoscaling").glob(FILES))
                 for case in cases_of(file.read_text())]
        self.assertGreater(len(found), 30)
        self.assertEqual(Counter(found), Counter((row["group"], row["title"]) for row in rows()))


if __name__ == "__main__":
    unittest.main()
