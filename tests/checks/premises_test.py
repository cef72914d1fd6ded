#!/usr/bin/env python3
"""Tests what tests/checks/tree refuses in tests."""

import unittest

from premises import premises

PYTHON, CPP = "tests/integration/a_test.py", "operator/kube/a_test.cc"

REFUSED = [
    (PYTHON, "        self.assertLess(time.monotonic() - began, 12)", "duration"),
    (PYTHON, "        self.assertGreaterEqual(limit, time.time() - began)", "duration"),
    (PYTHON, "    dice = random.Random(int(time.time()))", "random"),
    (PYTHON, "    dice = random.Random()", "random"),
    (PYTHON, '    run(["go", "mod", "download", "x"])', "fetches"),
    ("tests/demo/demo", '    run("apt-get download prometheus")', "fetches"),
    (CPP, "  std::mt19937 dice(std::random_device{}());", "random"),
    (CPP, "  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);", "duration"),
    (CPP, "  const auto transport = Connect({.server = url}, {.silence = 50ms}).value();", "milliseconds"),
]
ALLOWED = [
    (PYTHON, '        self.assertLess(seconds(write.at), renewed + 15, "by recorded times")'),
    (PYTHON, '    wait_until("the log", lambda: seen(), timeout=time.time() + 5)'),
    (PYTHON, "    dice = random.Random(seed())"),
    (CPP, "  const auto transport = Connect({.server = url}, {.silence = 50ms}).value();  // a wait"),
    (CPP, "  clock.Advance(50ms);"),
    ("tests/bench/fleet.py", "    assertLess(time.monotonic() - began, 12)"),
    ("operator/kube/http/connect.cc", "  Connect(options, 50ms);"),
]


class PremisesTest(unittest.TestCase):
    def test_refuses(self):
        for name, line, what in REFUSED:
            with self.subTest(line):
                found = list(premises(name, "first\n" + line))
                self.assertEqual(1, len(found), found)
                self.assertTrue(found[0].startswith(f"{name}:2: ") and what in found[0], found)

    def test_allows(self):
        for name, line in ALLOWED:
            with self.subTest(line):
                self.assertEqual([], list(premises(name, line)))


if __name__ == "__main__":
    unittest.main()
