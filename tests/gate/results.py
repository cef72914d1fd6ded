"""What CTest's report in JUnit's format says of each test."""

import re
import xml.etree.ElementTree as xml
from dataclasses import dataclass

# What begins the explanation in the output of a test that failed, the surest first: Python's errors,
# GoogleTest's, those of sanitizers, and what the project's scripts say.
FAILURES = (
    re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception|Stop|Skipped)\b.*", re.M),
    re.compile(r"^\S+:\d+: Failure\n.*", re.M),
    re.compile(r"^.*(?:Sanitizer: |runtime error: ).*", re.M),
    re.compile(r"^.*\b(?:FAILED|error|broken)\b.*", re.M | re.I),
)


@dataclass(frozen=True)
class Test:
    suite: str
    name: str
    state: str  # "passed", "failed" or "skipped"
    seconds: float
    output: str = ""

    @property
    def why(self):
        """One line: why it failed or was skipped."""
        if self.state == "failed":
            for pattern in FAILURES:
                if found := pattern.search(self.output):
                    return " ".join(found[0].split())[:300]
        lines = [line.strip() for line in self.output.split("\n") if line.strip()]
        return lines[-1][:300] if lines else "it printed nothing"


def read(suite, file):
    """The tests in the report."""
    tests = []
    for case in xml.parse(file).getroot().iter("testcase"):
        skipped = case.find("skipped")
        # A test whose fixture failed was not run, which CTest calls skipped too.
        left_out = skipped is not None and skipped.get("message").startswith("SKIP_RETURN_CODE")
        state = "skipped" if left_out else "passed" if case.get("status") == "run" else "failed"
        tests.append(Test(suite, case.get("name"), state, float(case.get("time")),
                          case.findtext("system-out")))
    return tests
