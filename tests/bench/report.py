"""The table of a run of a fleet: how it is printed, kept, and compared with the kept one."""

import sys
from pathlib import Path
from statistics import quantiles

from fleet import PERIOD

FOLDER = Path(__file__).resolve().parents[2] / "docs/benchmarks"
NOISE = 0.25  # the part by which values of two runs on a busy machine differ


def file_of(name):
    """The file in which the table of that name is kept."""
    return FOLDER / f"{name}.md"


def write(file, title, text):
    """Keeps what this program printed in that file; returns it."""
    FOLDER.mkdir(exist_ok=True)
    command = " ".join([f"tests/bench/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    file.write_text(f"# {title}\n\n    {command}\n\n{text}")
    return file


def table(*rows):
    """Markdown; the first row is the head, the second says how columns are aligned."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


def percentile(values, percent):
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def _status_writes(measured):
    return sum(count for (_, what), count in measured.requests.items()
               if what.endswith("/status") and "autoscal" in what)


# Of all but the first, less is better.
def _rows(period):
    return (
        ("evaluations in this time", lambda m: m.evaluations, "{:.0f}"),
        (f"mean period, {period} s wanted (s)", lambda m: m.period, "{:.1f}"),
        ("CPU for an evaluation (ms)", lambda m: m.cpu * 1e3, "{:.3f}"),
        ("kube-apiserver CPU for an evaluation (ms)", lambda m: m.server_cpu * 1e3, "{:.3f}"),
        ("API requests for an evaluation", lambda m: sum(m.requests.values()), "{:.3f}"),
        ("of these, writes of a status", _status_writes, "{:.3f}"),
        ("resident memory (MB)", lambda m: m.resident, "{:.0f}"),
        ("resident memory after the step (MB)", lambda m: m.after_step, "{:.0f}"),
        ("peak memory (MB)", lambda m: m.peak, "{:.0f}"),
        ("step to written scale, p50 (s)", lambda m: percentile(m.steps, 50), "{:.2f}"),
        ("step to written scale, p99 (s)", lambda m: percentile(m.steps, 99), "{:.2f}"),
        ("step to written scale, latest (s)", lambda m: max(m.steps), "{:.2f}"),
    )


def _cells(line):
    return [cell.strip() for cell in line.split("|")[1:-1]]


class Report:
    """`results` are Measured, with an evaluation every `period` seconds; the last one is compared.
    `name`: the file's; `title`: what it is about."""

    def __init__(self, name, title, heading, results, period=PERIOD):
        self._rows = _rows(period)
        self._file = file_of(name)
        self._title, self._results = title, results
        self.text = f"{heading}\n\n{self._table()}\n\n{self._requests()}\n"

    def worse(self):
        """Lines: what became worse for the last one by more than the noise since the table was kept."""
        if not self._file.exists():
            return [f"no table is kept in {self._file.name}; --keep keeps this one"]
        kept = [_cells(line) for line in self._file.read_text().splitlines()
                if line.startswith("| ")]
        column = next(i for i, name in enumerate(kept[0]) if name == self._results[-1].name)
        before = {cells[0]: float(cells[column]) for cells in kept[2:]}
        found = []
        for name, value, form in self._rows[1:]:
            now, was = value(self._results[-1]), before.get(name)
            # A value of the last printed digit is noise too.
            if was is not None and now > was * (1 + NOISE) and form.format(now) != form.format(was):
                found.append(f"worse than the kept table: {name}: {form.format(was)} before, "
                             f"{form.format(now)} now")
        return found or ["nothing is worse than in the kept table by more than "
                         f"{NOISE:.0%}"]

    def keep(self):
        """Writes the table; returns the file."""
        return write(self._file, self._title, self.text)

    def _table(self):
        ours = self._results[-1]
        lines = ["| | " + " | ".join(m.name for m in self._results) + " | ratio |",
                 "| --- |" + " ---: |" * (len(self._results) + 1)]
        for number, (name, value, form) in enumerate(self._rows):
            values, others = value(ours), [value(m) for m in self._results[:-1]]
            ratio = f"1 : {min(others) / values:.1f}" if number and others and values > 0 else ""
            lines.append("| " + " | ".join(
                [name, *(form.format(value(m)) for m in self._results), ratio]) + " |")
        return "\n".join(lines)

    def _requests(self):
        lines = ["Ratios are to the better of the others. API requests for an evaluation, by verb "
                 "and resource (from 0.001; less those of the cluster without a controller):", ""]
        for measured in self._results:
            of = sorted(measured.requests.items(), key=lambda item: -item[1])
            lines.append(f"- {measured.name}: " + ", ".join(
                f"{verb} {what} {count:.3f}" for (verb, what), count in of if count >= 0.0005))
        return "\n".join(lines)
