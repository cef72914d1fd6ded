"""Reads the API server's audit log."""

import json
import threading


class AuditLog:
    """What is written to the file after the construction of this: what was before is of other tests. Any thread
    may ask."""

    def __init__(self, file):
        self._file, self._lines, self._lock = file, [], threading.Lock()
        self._read = file.stat().st_size if file.exists() else 0

    def entries(self, *texts):
        """The entries that contain the texts. A call's entry may come after its answer."""
        with self._lock:
            if self._file.exists():
                self._go_on()
            return [json.loads(line) for line in self._lines if all(text in line for text in texts)]

    def _go_on(self):
        with self._file.open("rb") as log:
            log.seek(self._read)
            whole, end, _ = log.read().rpartition(b"\n")  # the last may be half written
        self._read += len(whole) + len(end)
        self._lines += whole.decode().split("\n") if whole else []


class ScaleWrite:
    """One successful write of a scale; `at` is when the server received it, RFC 3339: its answer may
    come before the log's later times."""

    def __init__(self, entry):
        reference, patch = entry["objectRef"], entry["requestObject"]
        tests = {step["path"]: step["value"] for step in patch if step["op"] == "test"}
        self.at = entry["requestReceivedTimestamp"]
        self.namespace, self.target = reference["namespace"], reference["name"]
        self.uid = tests.get("/metadata/uid")
        self.from_ = tests.get("/spec/replicas")
        self.to = entry["responseObject"]["spec"]["replicas"]
        self.target_uid = entry["responseObject"]["metadata"]["uid"]

    def __repr__(self):
        return f"{self.at} {self.namespace}/{self.target} {self.from_}->{self.to}"
