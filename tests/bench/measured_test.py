#!/usr/bin/env python3
"""Tests the table of what controllers made of a fleet."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration"))

from measured import Measured, text_of
from report import read

REQUESTS = {("GET", "metrics.k8s.io"): 1.0, ("PUT", "horizontalpodautoscalers/status"): 0.5}


def measured(name, times):
    """One that needed so many times as much as another."""
    return Measured(name, rate=10 / times, period=15 * times, cpu=0.002 * times, server_cpu=0.004 * times,
                    requests={what: count * times for what, count in REQUESTS.items()}, resident=100 * times,
                    after_step=110 * times, peak=120 * times,
                    steps=tuple(times * n for n in range(100, 0, -1)))


class MeasuredTest(unittest.TestCase):
    TEXT = text_of("At a size.", [measured("slow", 3), measured("fast", 2), Measured("bare", steps=(0.5, 0.25)),
                                  measured("ours", 1)], 15)

    def row(self, name):
        """As it is printed: slow, fast, bare, ours, ratio."""
        return next(line for line in self.TEXT.splitlines() if line.startswith(f"| {name} |")).split(" | ")[1:]

    def test_compares_the_last_with_the_better_of_those_that_evaluate(self):
        for name, cells in {
                "CPU for an evaluation (ms)": ["6.000", "4.000", "", "2.000", "1 : 2.0 |"],
                "API requests for an evaluation": ["4.500", "3.000", "", "1.500", "1 : 2.0 |"],
                "of these, writes of a status": ["1.500", "1.000", "", "0.500", "1 : 2.0 |"],
                "evaluations a second": ["3.3", "5.0", "", "10.0", " |"],
                "step to written scale, p50 (s)": ["150.00", "100.00", "0.25", "50.00", "1 : 2.0 |"],
                "step to written scale, p90 (s)": ["270.00", "180.00", "0.50", "90.00", "1 : 2.0 |"],
                "step to written scale, p99 (s)": ["297.00", "198.00", "0.50", "99.00", "1 : 2.0 |"],
                "step to written scale, latest (s)": ["300.00", "200.00", "0.50", "100.00", "1 : 2.0 |"],
        }.items():
            with self.subTest(name):
                self.assertEqual(cells, self.row(name))

    def test_lists_the_requests_of_those_that_made_some(self):
        self.assertEqual(["slow", "fast", "ours"],
                         [line[2:].partition(":")[0] for line in self.TEXT.splitlines() if line.startswith("- ")])

    def test_can_be_read(self):
        values = read(self.TEXT)
        self.assertEqual(["2.000"], values["CPU for an evaluation (ms)", "ours"])
        self.assertNotIn(("CPU for an evaluation (ms)", "bare"), values)
        self.assertNotIn(("CPU for an evaluation (ms)", "ratio"), values)


if __name__ == "__main__":
    unittest.main()
