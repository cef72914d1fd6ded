"""Runs the tests of suites with CTest."""

import os
import re
from dataclasses import replace

from . import unchanged
from .building import JOBS, TEST_FAILED, Stop, folder, run, say
from .results import Test, read
from .second_tries import ALLOWED

# Two tests with a control plane each keep two processors busy.
REAL_AT_ONCE = "2"
PLANE = re.compile(r"plane\.\w+\.up$")  # starts a control plane that several tests share
LONG_LIMIT = 4 * 3600  # seconds for a test in its long form


def labelled(suite):
    return ("--label-regex", f"^({suite.labels})$")


class Runner:
    """Runs suites one after the other, and counts the second tries of all of them. `evidence` is a
    folder for what helps to explain a failure; `long`: tests have their long form, and those that are
    real run one at a time."""

    def __init__(self, evidence, long):
        self.evidence = evidence
        self.tests = []  # results.Test, the last try of each
        self.first_tries = []  # of those that were tried twice
        self._long = long
        self._environment = os.environ | {"BALLAST_EVIDENCE": str(evidence)}
        if long:
            self._environment["BALLAST_TEST_LONG"] = "1"

    def test(self, name, suite, only=()):
        """Runs the suite's tests (`only`: CTest's words that select some of them): first the exact ones,
        then those with the label `real`."""
        if self._long:
            suite = replace(suite, limit=LONG_LIMIT)
        say(f"{name}: testing")
        exact = self._exact(name, suite, *only, "--label-exclude", "^real$")
        real = self._real(name, suite, only, "-real")
        if plane := next((test for test in real if test.state == "failed" and PLANE.match(test.name)), None):
            # The tests that share it could not run.
            say(f"{plane.name} failed, and all that is real is tried again: {plane.why}")
            self._keep(plane)
            self.first_tries.append(plane)
            real = self._real(name, suite, only, "-once-more")
        if not exact and not real:
            raise Stop(TEST_FAILED, f"{name}: there are no tests")
        for test in real:
            if test.state == "failed":
                self._keep(test)
        self.tests += exact
        self.tests += [self._again(suite, test) if test.state == "failed" else test for test in real]

    def _exact(self, name, suite, *selection):
        """Also the results of those that need not run again."""
        keys = self._keys(suite, selection)
        known = set(unchanged.known())
        left = [test for test, key in keys.items() if key in known]
        if left:
            say(f"{name}: {len(left)} tests have passed with the same program and data, and are not run again")
            selection += ("--exclude-regex", f"^({'|'.join(map(re.escape, left))})$")
        tests = self._ctest(name, suite, JOBS, "", *selection)
        unchanged.note(keys[test.name] for test in tests if test.state == "passed" and test.name in keys)
        return tests + [Test(name, test, "passed", 0) for test in left]

    def _keys(self, suite, selection):
        """Those of unchanged.keys(), unless all is to run."""
        if self._long or os.environ.get("BALLAST_ANEW"):
            return {}
        return unchanged.keys(suite.preset, (*labelled(suite), *selection))

    def _real(self, name, suite, only, part):
        return self._ctest(name, suite, "1" if self._long else REAL_AT_ONCE, part, *only,
                           "--label-regex", "^real$")

    def _again(self, suite, first):
        """Tries a test again, alone; returns what counts."""
        if len(self.first_tries) == ALLOWED:
            say(f"{first.name} failed, and is not tried again: {ALLOWED} tests were, in this run")
            return first
        say(f"{first.name} failed, and is tried again, alone: {first.why}")
        self.first_tries.append(first)
        tries = self._ctest(first.suite, suite, "1", "-again", "--tests-regex", f"^{re.escape(first.name)}$")
        return next((test for test in tries if test.name == first.name), first)

    def _ctest(self, name, suite, jobs, part, *selection):
        """The results of the suite's tests that the words select; `part` is for the report's name."""
        report = folder(suite.preset) / f"results-{name}{part}.xml"
        report.unlink(missing_ok=True)
        status = run(["ctest", "--preset", suite.preset, *labelled(suite), *selection, "--parallel", jobs,
                      "--timeout", str(suite.limit), "--output-junit", str(report)], env=self._environment)
        tests = read(name, report) if report.exists() else []
        if status and all(test.state != "failed" for test in tests):
            raise Stop(TEST_FAILED, f"{name}: ctest ended with status {status}; see above")
        return tests

    def _keep(self, test):
        """Keeps the output of a first try, beside what the test itself has left there."""
        kept = self.evidence / test.name
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "output.txt").write_text(test.output, encoding="utf-8")
