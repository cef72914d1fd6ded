"""The operator's ledger, read as users do: by `ballast history`."""

import datetime
import json

from .process import ballast


def seconds(text):
    """An RFC 3339 time as seconds since 1970."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Record:
    """One decision, or a run of evaluations that came to the same. Times are seconds since 1970."""

    def __init__(self, record):
        self.time, self.until = seconds(record["time"]), seconds(record["until"])
        self.evaluations = record.get("evaluations")
        self.from_, self.to = record["currentReplicas"], record["desiredReplicas"]
        self.outcome = record["outcome"]
        self.reason, self.message = record["reason"], record["message"]

    def __repr__(self):
        return f"{self.time:.3f} {self.from_}->{self.to} {self.outcome} {self.reason}"


class History(list):
    """Records, oldest first."""

    def written(self):
        """The scale events."""
        return [record for record in self if record.outcome == "written"]

    def open(self):
        """Writes whose outcome is not known yet."""
        return [record for record in self if record.outcome == "intended"]


def history(store, namespace, name):
    """What the ledger has about a policy; nothing, if it does not know it."""
    done = ballast("history", f"{namespace}/{name}", "--store", store, "-o", "json")
    if "nothing is recorded" in done.stderr:
        return History()
    if done.returncode:
        raise AssertionError(done.stderr)
    return History(Record(record) for record in json.loads(done.stdout)
                   if "outcome" in record)  # not what lies between decisions
