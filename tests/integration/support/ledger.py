"""Reads the operator's ledger by the commands that users have."""

import contextlib
import datetime
import json
import sqlite3
import subprocess

from .process import BALLAST, ballast


def seconds(text):
    """An RFC 3339 time as seconds since 1970."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Record:
    """One decision, or a run of evaluations with the same result. Times are seconds since 1970."""

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
    """The ledger's records of a policy; empty if it does not know the policy."""
    done = ballast("history", f"{namespace}/{name}", "--store", store, "--limit", "0", "-o", "json")
    if "nothing is recorded" in done.stderr:
        return History()
    if done.returncode:
        raise AssertionError(done.stderr)
    return History(Record(record) for record in json.loads(done.stdout)
                   if "outcome" in record)  # without records that are not of decisions


def newest(store):
    """The time of the newest evaluation on record, of any autoscaler; and, by name, the time of the
    evaluation that `ballast why` shows for that moment, of every autoscaler that has one."""
    done = ballast("history", "--store", store, "--limit", "0", "-o", "json")
    if done.returncode:
        raise AssertionError(done.stderr)
    records = [record for record in json.loads(done.stdout) if "outcome" in record]
    until = max((record["until"] for record in records), key=seconds, default=None)
    seen = {}
    for name in sorted({f"{record['namespace']}/{record['name']}" for record in records}):
        done = ballast("why", name, "--store", store, "--at", until, "-o", "json")
        evaluation = json.loads(done.stdout).get("evaluation")
        if evaluation:
            seen[name] = seconds(evaluation["time"])
    return until and seconds(until), seen


def seen(store, namespace, name, moment):
    """The values that the evaluation at that moment saw: by metric, in thousandths. Raises
    AssertionError if there is none."""
    # The moment is rounded: --at gets a later time.
    at = datetime.datetime.fromtimestamp(moment + 0.001, datetime.timezone.utc).isoformat()
    done = ballast("why", f"{namespace}/{name}", "--store", store, "--at", at, "-o", "json")
    evaluation = json.loads(done.stdout).get("evaluation")
    if not evaluation or abs(seconds(evaluation["time"]) - moment) > 0.002:
        raise AssertionError(f"no readings of {at}: {done.stdout or done.stderr}")
    return {reading["metric"]: reading.get("milli") for reading in evaluation["readings"]}


class Memory:
    """The memory before or after an evaluation."""

    def __init__(self, memory):
        self.scale_events = [[(event["time"], event["change"]) for event in memory[direction]]
                             for direction in ("scaleUps", "scaleDowns")]
        self.recommendations = [(seconds(r["time"]), r["replicas"])
                                for r in memory["recommendations"]]

    def scale_events_since(self, moment):
        """The scale-ups and the scale-downs after `moment`, each in order of time."""
        return [sorted(event for event in events if seconds(event[0]) > moment)
                for events in self.scale_events]

    def since(self, moment):
        """The replica counts recommended after `moment`, each with the latest time."""
        latest = {}
        for time, replicas in sorted(self.recommendations):
            if time > moment:
                latest[replicas] = time
        return latest


class Kept:
    """A decision that was recorded with its inputs and its conclusion."""

    def __init__(self, record):
        self.now = seconds(record["snapshot"]["now"])
        self.from_, self.to = record["currentReplicas"], record["desiredReplicas"]
        self.outcome = record["outcome"]
        # For each metric; None if it failed.
        self.utilization = [metric.get("resource", {}).get("current", {}).get("averageUtilization")
                            for metric in record["conclusion"]["currentMetrics"]]
        before = record["snapshot"].get("memory")
        self.before = Memory(before) if before else None
        self.after = Memory(record["conclusion"]["memory"])


def kept(store, namespace, name):
    """The decisions about a policy that have a snapshot and a conclusion, oldest first."""
    done = ballast("export", f"{namespace}/{name}", "--store", store)
    if done.returncode:
        raise AssertionError(done.stderr)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [Kept(r) for r in records if "snapshot" in r and "conclusion" in r]


def replay(store):
    """Decides every recorded snapshot again; returns the differences, empty if there are none."""
    done = ballast("replay", "--store", store)
    return done.stdout + done.stderr if done.returncode else ""


def schema_of(program=BALLAST):
    """The schema of the ledgers that the program writes."""
    done = subprocess.run([program, "version", "-o", "json"], check=True, capture_output=True)
    return json.loads(done.stdout)["storeSchema"]


def set_schema(store, version):
    """Makes the ledger one of that schema, as far as its number goes; for while no operator has it open.
    Returns its decisions."""
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as database:
        database.execute(f"PRAGMA user_version = {version}")
        return database.execute("SELECT id, time FROM decisions ORDER BY id").fetchall()


def newer(schema, known):
    """What an operator that knows the schemas until `known` says of a ledger of that schema."""
    return f"a newer version of Ballast wrote this (schema {schema}, this version knows {known})"
