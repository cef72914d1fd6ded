#!/usr/bin/env python3
"""Tests how results are read, which tests are tried again, and what a run says at its end."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# pylint: disable=wrong-import-position
from gate import building, guards, preparing, report, results, second_tries, testing, unchanged
from gate.results import Test
from gate.suites import GROUPS, Suite

# As CTest writes them.
REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="x" tests="5" failures="1" disabled="0" skipped="3">
  <testcase name="good" classname="good" time="0.5" status="run"><system-out>fine</system-out></testcase>
  <testcase name="bad" classname="bad" time="2" status="fail"><failure message=""/>
    <system-out>a_test.cc:7: Failure
Expected equality of these values:
  1</system-out></testcase>
  <testcase name="left" classname="left" time="0" status="notrun">
    <skipped message="SKIP_RETURN_CODE=77"/><system-out>there is no Go
</system-out></testcase>
  <testcase name="after" classname="after" time="0" status="notrun">
    <skipped message="Fixture dependency failed"/><system-out>Failed test dependencies: up</system-out></testcase>
</testsuite>"""

WHY = {
    "a Python test": (
        "test_a ... FAIL\nTraceback (most recent call last):\n  File \"x.py\", line 1, in test_a\n"
        "AssertionError: waited 60 s for ready\n\nRan 1 test", "AssertionError: waited 60 s for ready"),
    "a GoogleTest": ("[ RUN ] A.B\nkube/a_test.cc:9: Failure\nValue of: x\n  Actual: false\n",
                     "kube/a_test.cc:9: Failure Value of: x"),
    "a sanitizer": ("==1==ERROR: AddressSanitizer: heap-use-after-free on address\n #0 f\n",
                    "==1==ERROR: AddressSanitizer: heap-use-after-free on address"),
    "a script": ("one\nFAILED: timed out: nothing_left /tmp\nlast\n", "FAILED: timed out: nothing_left /tmp"),
    "whatever else": ("one\n  the last word\n\n", "the last word"),
    "silence": ("", "it printed nothing"),
}


class ResultsTest(unittest.TestCase):
    def test_reads_what_ctest_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "results.xml"
            file.write_text(REPORT, encoding="utf-8")
            tests = results.read("release", file)
        self.assertEqual([("good", "passed"), ("bad", "failed"), ("left", "skipped"), ("after", "failed")],
                         [(test.name, test.state) for test in tests])
        self.assertEqual("a_test.cc:7: Failure Expected equality of these values:", tests[1].why)
        self.assertEqual("there is no Go", tests[2].why)

    def test_says_why_in_a_line(self):
        for name, (output, why) in WHY.items():
            with self.subTest(name):
                self.assertEqual(why, Test("s", "t", "failed", 1, output).why)


class Scripted(testing.Runner):
    """A runner for whose tests it is said how each try ends."""

    def __init__(self, folder, exact=(), real=(), once_more=(), again=()):
        super().__init__(Path(folder), long=False)
        self._script = {"": dict(exact), "-real": dict(real), "-once-more": dict(once_more), "-again": dict(again)}

    def _keys(self, suite, selection):
        return {}

    def _ctest(self, name, suite, jobs, part, *selection):
        if not part:
            self.selected = selection[-1]
        wanted = selection[-1].strip("^$").replace("\\", "")
        return [Test(name, test, state, 1, f"Error: {part}") for test, state in self._script[part].items()
                if part != "-again" or test == wanted]


class SecondTriesTest(unittest.TestCase):
    def run_suite(self, **script):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            runner = Scripted(folder, **script)
            runner.test("cluster", Suite("release", "cluster", ("ballast",)))
            return runner, {test.name: test.state for test in runner.tests}

    def test_a_real_test_may_fail_once(self):
        runner, states = self.run_suite(exact={"a": "passed"}, real={"b.c": "failed"}, again={"b.c": "passed"})
        self.assertEqual({"a": "passed", "b.c": "passed"}, states)
        self.assertEqual(["b.c"], [first.name for first in runner.first_tries])

    def test_a_second_failure_counts(self):
        self.assertEqual({"b": "failed"}, self.run_suite(real={"b": "failed"}, again={"b": "failed"})[1])

    def test_an_exact_test_is_never_tried_again(self):
        runner, states = self.run_suite(exact={"a": "failed"}, again={"a": "passed"})
        self.assertEqual({"a": "failed"}, states)
        self.assertEqual([], runner.first_tries)

    def test_the_fourth_that_fails_is_not_tried_again(self):
        names = ["a", "b", "c", "d"]
        _, states = self.run_suite(real=dict.fromkeys(names, "failed"), again=dict.fromkeys(names, "passed"))
        self.assertEqual({"a": "passed", "b": "passed", "c": "passed", "d": "failed"}, states)

    def test_a_control_plane_that_did_not_start_is_not_the_fault_of_its_tests(self):
        up = "plane.shared.up"
        lost = dict.fromkeys([up, "a", "b", "c", "d"], "failed")
        runner, states = self.run_suite(real=lost, once_more=dict.fromkeys(lost, "passed"))
        self.assertEqual({"passed"}, set(states.values()))
        self.assertEqual([up], [first.name for first in runner.first_tries])
        _, states = self.run_suite(real=lost, once_more=lost)
        self.assertEqual({"failed"}, set(states.values()))

    def test_names_what_was_tried_twice_often(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = Path(folder) / "cache/flakes.ndjson"
            self.assertEqual([], second_tries.often(journal))
            second_tries.note("long ago", "c", ["old", "new"], journal)
            for run in range(second_tries.RECENT - 1):
                second_tries.note(f"run {run}", "c", ["old", "twice"] if run == 5 else [], journal)
            second_tries.note("now", "c", ["twice", "new"], journal)
            self.assertEqual([("twice", 2)], second_tries.often(journal))
            self.assertEqual({"time": "now", "commit": "c", "test": "new"},
                             json.loads(journal.read_text(encoding="utf-8").splitlines()[-1]))


class UnchangedTest(unittest.TestCase):
    def key(self, root, **changes):
        """Of a program with data, once what is named has other text."""
        built, data = Path(root) / "build", Path(root) / "data/inner"
        for folder in (built, data):
            folder.mkdir(parents=True, exist_ok=True)
        texts = {"program": "p", "vectors": "v", "seed": "1", "file": "x.json"} | changes
        (built / "a_test").write_text(texts["program"], encoding="utf-8")
        for file in data.iterdir():
            file.unlink()
        (data / texts["file"]).write_text(texts["vectors"], encoding="utf-8")
        environment = {"name": "ENVIRONMENT", "value": [f"BALLAST_TEST_DATA={data.parent}"]}
        test = {"name": "a", "command": [str(built / "a_test"), "--seed", texts["seed"]], "properties": [environment]}
        with mock.patch.object(unchanged, "ROOT", Path(root)):
            return unchanged.key_of(test, built)

    def test_knows_a_test_by_all_that_it_reads(self):
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
            keys = [self.key(here, **change) for change in (
                {}, {"program": "q"}, {"vectors": "w"}, {"seed": "2"}, {"file": "y.json"})]
            with mock.patch.dict("os.environ", {"BALLAST_TEST_SEED": "7"}):
                keys.append(self.key(here))
            self.assertEqual(len(keys), len(set(keys)))
            self.assertEqual(keys[0], self.key(there), "in another checkout")

    def test_knows_none_that_chance_decides(self):
        def listed(labels, preset="asan"):
            test = {"name": "a", "command": [str(building.folder(preset) / "a_test")],
                    "properties": [{"name": "LABELS", "value": labels}]}
            told = mock.Mock(returncode=0, stdout=json.dumps({"tests": [test]}))
            with mock.patch.object(unchanged.subprocess, "run", return_value=told):
                return list(unchanged.keys(preset, ()))

        self.assertEqual(["a"], listed(["unit"]))
        for label in unchanged.BY_CHANCE:
            self.assertEqual([], listed(["unit", label]))
        self.assertEqual(["a"], listed(["unit", "threads"]))
        self.assertEqual([], listed(["unit", "threads"], "tsan"), "races")

    def test_runs_again_what_has_not_passed_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(unchanged, "PASSED", Path(folder) / "cache/passed"):
            def states(keys, **exact):
                runner = Scripted(folder, exact=exact)
                runner._keys = lambda suite, selection: keys
                runner.test("asan", Suite("asan", "unit", ("unit_tests",)))
                return {test.name: test.state for test in runner.tests}, runner.selected

            self.assertEqual({"a": "passed", "b": "failed", "c": "passed"},
                             states({"a": "1", "b": "2"}, a="passed", b="failed", c="passed")[0])
            tests, selected = states({"a": "1", "b": "2"}, b="passed", c="passed")
            self.assertEqual({"a": "passed", "b": "passed", "c": "passed"}, tests)
            self.assertEqual("^(a)$", selected)
            self.assertEqual("^real$", states({"a": "3"}, a="passed")[1], "of the labels that are left out")

    def test_remembers_the_newest(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(unchanged, "KEPT", 2), \
                mock.patch.object(unchanged, "PASSED", Path(folder) / "passed"):
            for keys in (["a"], ["b", "c"]):
                unchanged.note(keys)
            self.assertEqual(["b", "c"], unchanged.known())


class GuardsTest(unittest.TestCase):
    LIST = "# a comment\n\nintegration.failover  operator/runtime/elect operator/app/\npeer.differential tests/peer/\n"

    def test_names_what_guards_the_changed_paths(self):
        for changed, expected in (
                (["operator/runtime/election.cc", "README.md"], ["integration.failover"]),
                (["tests/peer/main.go", "operator/app/operator.cc"], ["integration.failover", "peer.differential"]),
                (["tests/integration/failover_test.py"], ["integration.failover"]),
                (["operator/runtime/reflector.cc"], [])):
            with self.subTest(changed):
                self.assertEqual(expected, guards.guarding(changed, self.LIST))

    def test_each_path_of_the_list_exists(self):
        files = guards.git("ls-files").stdout.splitlines()
        for name, paths in guards.guards(guards.LIST.read_text(encoding="utf-8")).items():
            for path in paths[:-1]:
                self.assertTrue(any(file.startswith(path) for file in files), f"{name} guards {path}")


class BuildingTest(unittest.TestCase):
    def test_begins_nothing_for_which_there_is_no_room(self):
        for free, built, says in ((8.5e9, ["asan"], None), (3.5e9, ["asan"], "takes 4 GB"),
                                  (8.5e9, [], "takes 11 GB"), (0, ["release", "asan", "tsan"], None)):
            with self.subTest(free=free, built=built), \
                    tempfile.TemporaryDirectory() as root, \
                    mock.patch.object(building, "ROOT", Path(root)), \
                    mock.patch.object(building.shutil, "disk_usage", return_value=mock.Mock(free=free)):
                for preset in built:
                    building.folder(preset).mkdir()
                if not says:
                    building.expect_room(["release", "asan", "tsan"])
                    continue
                with self.assertRaisesRegex(building.Stop, says) as stopped:
                    building.expect_room(["release", "asan", "tsan"])
                self.assertEqual(building.ENVIRONMENT_FAILED, stopped.exception.status)


class PreparingTest(unittest.TestCase):
    def prepared(self, tests):
        """The last words of the commands."""
        with mock.patch.object(preparing, "run", return_value=0) as run:
            self.assertTrue(preparing.prepare(tests))
        return [call.args[0][-1] for call in run.call_args_list]

    def test_prepares_what_the_tests_need(self):
        gate = self.prepared(())
        for tests, more in ((["manage"], []),
                            (["alerts"], ["prometheus"]),
                            (["helm4.chart", "kubernetes-1.29.chart"], ["--helm4", "1.29"])):
            with self.subTest(tests):
                self.assertEqual(gate + more, self.prepared(tests))
        self.assertEqual(len(gate) + len(preparing.FOR_LONG), len(self.prepared(None)))

    def test_names_the_list_of_packages_that_are_missing(self):
        for names, packages in ((["install"], "packages-long"), (["arm64"], "packages-arm64"),
                                (["chosen", "dockerfile"], "packages-long"), (["release", "cluster"], None),
                                (["chosen", "uninstall"], None)):
            with self.subTest(names), mock.patch.object(preparing, "missing_of", return_value=["a", "b"]):
                if not packages:
                    preparing.expect_packages(names)
                    continue
                with self.assertRaisesRegex(building.Stop, f"`.ci/install {packages}` installs .*: a, b") as stopped:
                    preparing.expect_packages(names)
                self.assertEqual(building.ENVIRONMENT_FAILED, stopped.exception.status)
            with mock.patch.object(preparing, "missing_of", return_value=[]):
                preparing.expect_packages(names)

    def test_tells_which_packages_are_missing(self):
        with tempfile.NamedTemporaryFile("w") as packages:
            print("bash\nno-package-of-debian", file=packages, flush=True)
            self.assertEqual(["no-package-of-debian"], preparing.missing_of(packages.name))


class WordsTest(unittest.TestCase):
    def test_all_say_the_same_of_how_long_a_run_takes(self):
        told = " ".join((building.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
        for name, command in (("all", "make test"), ("gate", ".ci/run"), ("unit", "make test-unit")):
            self.assertIn(f"`{command}` {GROUPS[name][1]}", told)


class ReportTest(unittest.TestCase):
    TESTS = [Test("asan", "a", "passed", 1), Test("cluster", "b", "failed", 1, "Error: red"),
             Test("cluster", "c", "skipped", 1, "no Go"), Test("cluster", "d", "passed", 1)]

    def lines(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            well = report.print_results(*arguments)
        return well, out.getvalue().splitlines()

    def test_names_what_failed_and_ends_with_the_counts(self):
        first = [Test("cluster", "d", "failed", 1, "Error: late"), Test("cluster", "b", "failed", 1, "Error: x")]
        well, lines = self.lines(self.TESTS, first, None, Path("/nowhere"), False)
        self.assertFalse(well)
        self.assertEqual(["FLAKY  cluster: d passed when it ran again, alone; first: Error: late",
                          "skipped cluster: c was skipped: no Go", "FAILED cluster: b: Error: red",
                          "2 passed, 1 failed, 1 skipped"], lines)

    def test_a_skipped_test_fails_ci(self):
        well, lines = self.lines(self.TESTS[2:], [], None, Path("/nowhere"), True)
        self.assertFalse(well)
        self.assertEqual("1 passed, 1 failed, 0 skipped", lines[-1])

    def test_a_build_that_failed_counts(self):
        well, lines = self.lines(self.TESTS[:1], [], "build of asan: see above", Path("/nowhere"), False)
        self.assertFalse(well)
        self.assertEqual(["FAILED build of asan: see above", "1 passed, 1 failed, 0 skipped"], lines)


if __name__ == "__main__":
    unittest.main()
