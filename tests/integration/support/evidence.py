"""What helps to find the cause of a failure after its control plane is gone: kept in a folder of the test in
$BALLAST_EVIDENCE, if that is set."""

import itertools
import json
import os
import shutil
import sys
from pathlib import Path

FOLDER = os.environ.get("BALLAST_EVIDENCE", "")
LIMIT = 64 * 2**20  # bytes; larger files are left out, of the audit log the end is kept
LINES = 20  # of an operator's log that are printed


def keep(name, cluster, operators=(), **folders):
    """Prints the operators' last lines. Keeps, as `name`: their logs, the folders, the audit log, and what
    each part of the control plane printed."""
    for operator in operators:
        print("the operator's last lines:", *operator.log[-LINES:], sep="\n  ", file=sys.stderr)
    if not FOLDER:
        return
    folder = _new_folder(name)
    for number, operator in enumerate(operators):
        (folder / f"operator-{number}.log").write_text("".join(json.dumps(line) + "\n" for line in operator.log))
    for to, source in {**folders, "control-plane": cluster.dir / "logs"}.items():
        if source.exists():
            shutil.copytree(source, folder / to, ignore=_without_large)
    _copy_end(cluster.dir / "audit.log", folder)
    print(f"kept for the search of the cause: {folder}", file=sys.stderr)


def _new_folder(name):
    """A test may fail again when it is tried again."""
    for number in itertools.count(1):
        folder = Path(FOLDER) / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            pass


def _without_large(folder, names):
    """What not to copy: large files, and what is no file."""
    return [name for name in names if not (path := Path(folder, name)).is_dir()
            and (not path.is_file() or path.stat().st_size > LIMIT)]


def _copy_end(file, folder):
    with file.open("rb") as whole, (folder / file.name).open("wb") as end:
        whole.seek(max(0, file.stat().st_size - LIMIT))
        shutil.copyfileobj(whole, end)
