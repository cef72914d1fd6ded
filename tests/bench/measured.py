"""What one controller after the other made of a fleet, and the table of that."""

from dataclasses import dataclass, field
from math import isnan, nan

from report import table
from support.judgement import percentile


@dataclass
class Measured:
    """What one controller needed; per evaluation, less what the cluster needs without it. What was not
    measured is NaN, or empty."""
    name: str
    rate: float = nan  # evaluations a second
    period: float = nan  # seconds
    cpu: float = nan  # seconds for an evaluation
    server_cpu: float = nan
    requests: dict = field(default_factory=dict)  # {(verb, resource): for an evaluation}
    resident: float = nan  # MB
    after_step: float = nan
    peak: float = nan
    steps: tuple = ()  # seconds from the step of the metrics to each written scale


def _requests(measured, counts=lambda what: True):
    return sum(count for (_, what), count in measured.requests.items() if counts(what)
               ) if measured.requests else nan


def _is_status(what):
    return what.endswith("/status") and "autoscal" in what


def _rows(period):
    """(name, value of a Measured, how it is printed); of all but the first, less is better."""
    return (
        ("evaluations a second", lambda m: m.rate, "{:.1f}"),
        (f"mean period, {period} s wanted (s)", lambda m: m.period, "{:.1f}"),
        ("CPU for an evaluation (ms)", lambda m: m.cpu * 1e3, "{:.3f}"),
        ("kube-apiserver CPU for an evaluation (ms)", lambda m: m.server_cpu * 1e3, "{:.3f}"),
        ("API requests for an evaluation", _requests, "{:.3f}"),
        ("of these, writes of a status", lambda m: _requests(m, _is_status), "{:.3f}"),
        ("resident memory (MB)", lambda m: m.resident, "{:.0f}"),
        ("resident memory after the step (MB)", lambda m: m.after_step, "{:.0f}"),
        ("peak memory (MB)", lambda m: m.peak, "{:.0f}"),
        *((f"step to written scale, p{percent} (s)", lambda m, percent=percent: percentile(m.steps, percent), "{:.2f}")
          for percent in (50, 90, 99)),
        ("step to written scale, latest (s)", lambda m: max(m.steps), "{:.2f}"),
    )


def text_of(heading, results, period):
    """`results` are Measured, with an evaluation every `period` seconds; the last one is compared with the
    others that evaluate."""
    ours, others = results[-1], [m for m in results[:-1] if m.requests]
    rows = []
    for number, (name, value, form) in enumerate(_rows(period)):
        ratio = (f"1 : {min(map(value, others)) / value(ours):.1f}"
                 if number and others and value(ours) > 0 else "")
        rows.append((name, *("" if isnan(value(m)) else form.format(value(m)) for m in results), ratio))
    lines = [heading, "", table(("", *(m.name for m in results), "ratio"), rows), "",
             "Ratios are to the better of the others. API requests for an evaluation, by verb and resource "
             "(from 0.001; less those of the cluster without a controller):", ""]
    for measured in (*others, ours):
        of = sorted(measured.requests.items(), key=lambda item: -item[1])
        lines.append(f"- {measured.name}: " + ", ".join(
            f"{verb} {what} {count:.3f}" for (verb, what), count in of if count >= 0.0005))
    return "\n".join(lines) + "\n"
