"""Reads what processes and an API server have used."""

import os
import re
import subprocess
from collections import Counter
from pathlib import Path

REQUESTS = re.compile(r"^apiserver_request_total\{(.*)\} (\S+)$", re.M)
LABEL = re.compile(r'(\w+)="([^"]*)"')


def cpu_seconds(pid):
    """The CPU time that the process has used, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid):
    """Its resident memory in MB, now and at most."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return tuple(int(status[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))


def child(parent, name):
    """The process id of the program `name` whose command line names the folder `parent`."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue  # it has ended
        if Path(words[0]).name == name and any(str(parent) in word for word in words):
            return int(entry.name)
    raise LookupError(f"no {name} of {parent} runs")


def requests(metrics):
    """{(verb, resource): count} of an API server's page of metrics, without watches: these last."""
    found = Counter()
    for labels, count in REQUESTS.findall(metrics):
        of = dict(LABEL.findall(labels))
        if of["verb"] != "WATCH":
            resource = "/".join(filter(None, (of["resource"], of["subresource"])))
            found[of["verb"], resource] += float(count)
    return found


def machine():
    """The machine's size, for a table's heading."""
    memory_ = next(line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines()
                   if line.startswith("MemTotal"))
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=Path(__file__).parent).stdout.strip()
    return (f"{len(os.sched_getaffinity(0))} cores ({model[1] if model else 'unknown'}), "
            f"{int(memory_) / 1e6:.0f} GB; commit {commit}")
