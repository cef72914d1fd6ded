"""The tables of benchmarks: how a run prints one, keeps it in docs/benchmarks, and says what became
worse than in the kept one.

Less is better, but for MORE_IS_BETTER. A value became worse if it is worse than the kept one by more
than the noise; of rows with the same name, which are repeated runs, the medians are compared. The
noise is the difference between the best and the worst of the kept runs; if there is only one, NOISE of
its value; and at least one in the last printed digit."""

import re
import sys
from pathlib import Path
from statistics import median

FOLDER = Path(__file__).resolve().parents[2] / "docs/benchmarks"
NOISE = 0.25  # the part by which values of two runs on a busy machine differ
MORE_IS_BETTER = {"evaluations a second"}
NUMBER = re.compile(r"\d[\d,]*(\.\d+)?")


def table(head, rows, keys=1):
    """Markdown. The first `keys` cells of a row are its name, the others are values."""
    alignment = ["---"] * keys + ["---:"] * (len(head) - keys)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, alignment, *rows))


def read(text):
    """{(row, column): numbers as they are printed} of all tables in the text."""
    values, head, keys = {}, None, 0
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not cells:
            head = None
        elif head is None:
            head = cells
        elif all(re.fullmatch("-+:?", cell) for cell in cells):
            keys = sum(not cell.endswith(":") for cell in cells)
        else:
            for column, cell in zip(head[keys:], cells[keys:]):
                if NUMBER.fullmatch(cell):
                    values.setdefault((", ".join(cells[:keys]), column), []).append(cell)
    return values


def compare(kept, printed):
    """Lines that say what of a run's text became worse than in the kept one."""
    before, after = read(kept), read(printed)
    both = [place for place in after if place in before]
    if not both:
        return ["nothing that is kept was measured"]
    return ([f"worse than kept: {', '.join(filter(None, place))}: {found}" for place in both
             if (found := _worse(before[place], after[place], bool(MORE_IS_BETTER & set(place))))] or
            [f"nothing worse than kept, of {len(both)} values"])


def conclude(name, title, text, keep):
    """Prints a run's text, what in it became worse than in the one that is kept by that name, and
    keeps it."""
    file = FOLDER / f"{name}.md"
    print(text)
    for line in compare(file.read_text(), text) if file.exists() else ["nothing is kept; --keep does"]:
        print(f"{file.name}: {line}")
    if keep:
        command = " ".join([f"tests/bench/{Path(sys.argv[0]).name}", *sys.argv[1:]])
        file.write_text(f"# {title}\n\n    {command}\n\n{text}")
        print(f"{file.name}: kept")


def _worse(kept, printed, more_is_better):
    """What to say of a value that became worse; empty: it did not."""
    decimals = len(kept[0].partition(".")[2])
    before, after = ([float(text.replace(",", "")) for text in texts] for texts in (kept, printed))
    was, is_ = median(before), median(after)
    noise = max(before) - min(before) if len(before) > 1 else NOISE * was
    noise = max(noise, 10 ** -decimals)
    by = was - is_ if more_is_better else is_ - was
    if round(by - noise, decimals + 1) <= 0:  # as printed: binary fractions are not exact
        return ""
    return (f"{is_:.{decimals}f} instead of {was:.{decimals}f}" +
            (f", {is_ / was:.2f} times" if was else "") + f"; noise: {noise:.{decimals}f}")
