"""Reads what processes have used."""

import os
import re
import subprocess
from collections import Counter
from pathlib import Path

MAPPING = re.compile(r"(\w+)-(\w+) (\S+) \S+ \S+ \d+ *(.*)")  # begin, end, rights, file
GUARD = 4096  # bytes below a thread's stack that nobody may touch
STACKS, BLOCKS = "[stacks of threads]", "[other blocks]"  # as the kernel names a [heap]


def cpu_seconds(pid):
    """The CPU time that the process has used, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid):
    """Its resident memory in MB, now and at most."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return tuple(int(status[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))


def account(pid):
    """{what: KiB of resident memory}: of each file, what is mapped from it and what was written of that; [heap], and
    what else is of no file."""
    found, owner, end, guarded = Counter(), "", 0, False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if mapping := MAPPING.fullmatch(line):
            begin, last_end, end = int(mapping[1], 16), end, int(mapping[2], 16)
            if mapping[4]:
                owner = Path(mapping[4]).name
            elif guarded and begin == last_end:
                owner = STACKS
            elif begin != last_end:  # else what of the file before it begins as zeros
                owner = BLOCKS
            guarded = mapping[3] == "---p" and end - begin == GUARD
        elif line.startswith("Rss:"):
            resident = int(line.split()[1])
        elif line.startswith("Anonymous:"):
            written = int(line.split()[1])
            found[owner] += resident - written
            found[owner if owner.startswith("[") else f"{owner}, written"] += written
    return +found


def threads(pid):
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def connections(pid):
    """How many TCP connections it has to others, of IPv4."""
    sockets = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        try:
            sockets.add(os.readlink(file))
        except OSError:
            continue  # it has been closed
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return sum(row[3] == "01" and f"socket:[{row[9]}]" in sockets for row in rows)  # 01: established


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


def machine():
    """The machine's size, for a table's heading."""
    memory_ = next(line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines()
                   if line.startswith("MemTotal"))
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=Path(__file__).parent).stdout.strip()
    return (f"{len(os.sched_getaffinity(0))} cores ({model[1] if model else 'unknown'}), "
            f"{int(memory_) / 1e6:.0f} GB; commit {commit}")
