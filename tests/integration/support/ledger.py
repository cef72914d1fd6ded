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
                   if "outcome" in record)  # leaves out what lies between decisions


def newest(store):
    """When the last evaluation on record was, of any autoscaler, and by name what each of them had
    seen by then, as `ballast why` tells it: of every one that was evaluated."""
    done = ballast("history", "--store", store, "-o", "json")
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
    """What the evaluation at that moment, of which there is one, saw: by metric, in thousandths."""
    # --at takes a rounded time.
    at = datetime.datetime.fromtimestamp(moment + 0.001, datetime.timezone.utc).isoformat()
    done = ballast("why", f"{namespace}/{name}", "--store", store, "--at", at, "-o", "json")
    evaluation = json.loads(done.stdout).get("evaluation")
    if not evaluation or abs(seconds(evaluation["time"]) - moment) > 0.002:
        raise AssertionError(f"no readings of {at}: {done.stdout or done.stderr}")
    return {reading["metric"]: reading.get("milli") for reading in evaluation["readings"]}


class Memory:
    """What an evaluation knew of the earlier ones, or left to the later ones."""

    def __init__(self, memory):
        self.scale_events = [[(event["time"], event["change"]) for event in memory[direction]]
                             for direction in ("scaleUps", "scaleDowns")]
        self.recommendations = [(seconds(r["time"]), r["replicas"])
                                for r in memory["recommendations"]]

    def scale_events_since(self, moment):
        """Those upwards and those downwards, in the order of time."""
        return [sorted(event for event in events if seconds(event[0]) > moment)
                for events in self.scale_events]

    def since(self, moment):
        """The latest time of each replica count recommended after `moment`."""
        latest = {}
        for time, replicas in sorted(self.recommendations):
            if time > moment:
                latest[replicas] = time
        return latest


class Kept:
    """A decision that was kept with its inputs and its conclusion."""

    def __init__(self, record):
        self.now = seconds(record["snapshot"]["now"])
        self.from_, self.to = record["currentReplicas"], record["desiredReplicas"]
        self.outcome = record["outcome"]
        # By metric; None if it had no answer.
        self.utilization = [metric.get("resource", {}).get("current", {}).get("averageUtilization")
                            for metric in record["conclusion"]["currentMetrics"]]
        before = record["snapshot"].get("memory")
        self.before = Memory(before) if before else None
        self.after = Memory(record["conclusion"]["memory"])


def kept(store, namespace, name):
    """The decisions about a policy that have snapshot and conclusion, oldest first."""
    done = ballast("export", f"{namespace}/{name}", "--store", store)
    if done.returncode:
        raise AssertionError(done.stderr)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [Kept(r) for r in records if "snapshot" in r and "conclusion" in r]


def replay(store):
    """Every recorded snapshot through the engine again: what differs from the record; or nothing."""
    done = ballast("replay", "--store", store)
    return done.stdout + done.stderr if done.returncode else ""
