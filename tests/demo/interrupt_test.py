#!/usr/bin/env python3
"""Tests Ctrl-C in the middle of the demo: it ends at once and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

# pylint: disable=wrong-import-position
from support.cluster import SKIPPED
from support.waiting import PATIENCE, wait_until

DEMO = Path(__file__).resolve().parent / "demo"


def processes(text):
    """The processes whose command line matches `text`."""
    found = subprocess.run(["pgrep", "--full", "--list-full", text], capture_output=True, text=True)
    return found.stdout.splitlines()


class InterruptTest(unittest.TestCase):
    def test_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            demo = subprocess.Popen([DEMO, "--short"], stdout=subprocess.PIPE, text=True,
                                    env=os.environ | {"TMPDIR": folder}, start_new_session=True)
            self.addCleanup(demo.stdout.close)
            printed = []
            for line in demo.stdout:
                printed.append(line)
                if "The load rises." in line:
                    operator = f"ballast operator.*{folder}"
                    self.assertTrue(processes(operator))
                    # To the whole foreground group, as a terminal does; and again during the
                    # clean-up, as people do.
                    os.killpg(demo.pid, signal.SIGINT)
                    wait_until("the operator's end", lambda: not processes(operator))
                    os.killpg(demo.pid, signal.SIGINT)
            status = demo.wait(PATIENCE)
            if status == SKIPPED:
                raise SystemExit(SKIPPED)
            self.assertEqual(status, 1, printed)
            self.assertIn("interrupted\n", printed)
            self.assertEqual(processes(folder), [])
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
