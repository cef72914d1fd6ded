#!/usr/bin/env python3
"""Tests how tables of benchmarks are written, read and compared."""

import unittest

from report import FOLDER, compare, read, table

HEAD = ("", "other", "Ballast", "ratio")


def printed(*rows):
    """A run's text, of rows ("CPU", "2.0", "1.0", "1 : 2.0")."""
    return f"On two cores.\n\n{table(HEAD, rows)}\n\nAnd so on.\n"


def one(value, name="CPU (ms)"):
    return printed((name, "", value, ""))


def runs(*values):
    return printed(*(("a start", "", value, "") for value in values))


COMPARED = [
    # what, kept, printed, what is said
    ("the same", one("1.00"), one("1.00"), "nothing worse than kept, of 1 values"),
    ("better", one("1.00"), one("0.10"), "nothing worse than kept, of 1 values"),
    ("within the noise", one("1.00"), one("1.25"), "nothing worse than kept, of 1 values"),
    ("beyond it", one("1.00"), one("1.26"),
     "worse than kept: CPU (ms), Ballast: 1.26 instead of 1.00, 1.26 times; noise: 0.25"),
    ("the last digit", one("0.001"), one("0.002"), "nothing worse than kept, of 1 values"),
    ("more than that", one("0.001"), one("0.003"),
     "worse than kept: CPU (ms), Ballast: 0.003 instead of 0.001, 3.00 times; noise: 0.001"),
    ("more than nothing", one("0.000"), one("0.002"),
     "worse than kept: CPU (ms), Ballast: 0.002 instead of 0.000; noise: 0.001"),
    ("thousands", one("1,000"), one("1,251"),
     "worse than kept: CPU (ms), Ballast: 1251 instead of 1000, 1.25 times; noise: 250"),
    ("fewer of what should be many", one("70.0", "evaluations a second"), one("52.4", "evaluations a second"),
     "worse than kept: evaluations a second, Ballast: 52.4 instead of 70.0, 0.75 times; noise: 17.5"),
    ("more of these", one("70.0", "evaluations a second"), one("700.0", "evaluations a second"),
     "nothing worse than kept, of 1 values"),
    ("repeated runs, within their spread", runs("1.0", "1.1", "1.9"), runs("1.9", "1.0", "2.4"),
     "nothing worse than kept, of 1 values"),
    ("repeated runs, beyond it", runs("1.0", "1.1", "1.2"), runs("1.0", "1.4", "1.5"),
     "worse than kept: a start, Ballast: 1.4 instead of 1.1, 1.27 times; noise: 0.2"),
    ("one run beside several", runs("1.0", "1.1", "1.2"), runs("1.3"), "nothing worse than kept, of 1 values"),
    ("each column", printed(("CPU", "2.0", "1.0", "1 : 2.0")), printed(("CPU", "3.0", "1.0", "1 : 3.0")),
     "worse than kept: CPU, other: 3.0 instead of 2.0, 1.50 times; noise: 0.5"),
    ("only what both have", printed(("CPU", "2.0", "1.0", ""), ("gone", "1", "1", "")),
     printed(("CPU", "", "1.0", ""), ("new", "9", "9", "")), "nothing worse than kept, of 1 values"),
    ("what neither has", one("1.0"), one("1.0", "memory"), "nothing that is kept was measured"),
]


class ReportTest(unittest.TestCase):
    def test_reads_what_it_writes(self):
        by_size = table(("policies", "pods", "CPU", "memory"),
                        [("50", "100", "0.07", "31"), ("50", "1,000", "0.30", "34")], keys=2)
        again = table(("start", "ready"), [("first", "0.5"), ("again", "0.4"), ("again", "0.3")])
        self.assertEqual({("50, 100", "CPU"): ["0.07"], ("50, 100", "memory"): ["31"],
                          ("50, 1,000", "CPU"): ["0.30"], ("50, 1,000", "memory"): ["34"],
                          ("first", "ready"): ["0.5"], ("again", "ready"): ["0.4", "0.3"]},
                         read(f"# Title\n\n{by_size}\n\nText.\n\n{again}\n"))

    def test_says_what_became_worse(self):
        for what, kept, now, said in COMPARED:
            with self.subTest(what):
                self.assertEqual([said], compare(kept, now))

    def test_reads_every_kept_table(self):
        for file in FOLDER.glob("*.md"):
            with self.subTest(file.name):
                text = file.read_text()
                self.assertEqual([f"nothing worse than kept, of {len(read(text))} values"],
                                 compare(text, text))


if __name__ == "__main__":
    unittest.main()
