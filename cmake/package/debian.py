"""What Debian's packages on this machine say of a program: its libraries, their packages and licences."""

import functools
import re
import subprocess
from pathlib import Path


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


@functools.cache
def libraries(program):
    """The shared libraries that are loaded with the program, also indirectly, and the dynamic linker:
    {path by which they are loaded: path of the file}."""
    listed = run("ldd", program)
    if "not found" in listed:
        raise SystemExit(f"ldd {program}: {listed}")
    loaded = re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", listed, re.M)
    # /lib is a link to /usr/lib.
    return {str(Path(path).parent.resolve() / Path(path).name): str(Path(path).resolve()) for path in loaded}


@functools.cache
def owners(files):
    """The packages that the files are from: {file: package}. dpkg knows some by their path from before
    /lib became a link to /usr/lib."""
    names = [name for file in files for name in (file, file.removeprefix("/usr"))]
    # Its status only says whether it found all; each file has one name that it does not know.
    listed = subprocess.run(["dpkg-query", "--search", *names], capture_output=True, text=True).stdout
    known = {path: package.split(":")[0] for package, path in re.findall(r"^([^,\n]+): (\S+)$", listed, re.M)}
    found = {file: known.get(file) or known.get(file.removeprefix("/usr")) for file in files}
    for file, package in found.items():
        if not package:
            raise SystemExit(f"{file} is from no Debian package; the image has only files of Debian's")
    return found


def refuse_changed_files(packages, files):
    """Ends the program if one of the files is not as its package installed it."""
    listed = subprocess.run(["dpkg", "--verify", *packages], capture_output=True, text=True).stdout
    changed = {line.split()[-1] for line in listed.splitlines() if "missing" not in line}
    changed = {path for path in files if path in changed or path.removeprefix("/usr") in changed}
    if changed:
        raise SystemExit(f"not as their package installed them: {', '.join(sorted(changed))}")


def fields(package):
    """The package's fields: name, version, architecture, and the source package with its version."""
    form = "${Package}\n${Version}\n${Architecture}\n${source:Package}\n${source:Version}"
    values = run("dpkg-query", "--show", f"--showformat={form}", package).split("\n")
    return dict(zip(("name", "version", "architecture", "source", "source_version"), values))


def release():
    """The number of this machine's Debian, as in "12"."""
    return re.search(r'^VERSION_ID="?([^"\n]*)', Path("/usr/lib/os-release").read_text(), re.M).group(1)


def copyright_of(package):
    return Path(f"/usr/share/doc/{package}/copyright").read_bytes()
