"""A program, and what Debian's packages say of it: its libraries, their packages and licences."""

import functools
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from archive import ROOT

# Debian's names of architectures, by the number in an ELF header, and who is what on each.
ARCHITECTURES = {62: "amd64", 183: "arm64"}
TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}


def run(*words):
    # Not in the reader's language, since it is read here.
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def architecture_of(beginning):
    """That of a program, of which these are the first bytes."""
    return ARCHITECTURES[int.from_bytes(beginning[18:20], "little")]


@functools.cache
def native():
    """This machine's architecture."""
    return run("dpkg", "--print-architecture").strip()


@functools.cache
def sysroot():
    """The folder below which the packages of arm64 are."""
    done = subprocess.run([ROOT / "cmake/package/sysroot"], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.returncode)  # it has said why
    return done.stdout.strip()


@dataclass(frozen=True)
class Program:
    """Its libraries are of this machine's packages or, if it is of arm64 and the machine is not, of those that
    sysroot() has. Paths are those on a machine with the packages."""
    path: str

    @functools.cached_property
    def architecture(self):
        with open(self.path, "rb") as file:
            return architecture_of(file.read(20))

    @functools.cached_property
    def root(self):
        if self.architecture == native():
            return Path("/")
        if self.architecture != "arm64":
            raise SystemExit(f"{self.path} is of {self.architecture}: only arm64 can be packed on another machine")
        return Path(sysroot())

    def below(self, path):
        """The file with that path."""
        return self.root / path.lstrip("/")

    @functools.cached_property
    def stripped(self):
        with tempfile.NamedTemporaryFile() as file:
            run(f"{TRIPLETS[self.architecture]}-strip", "--strip-all", "-o", file.name, self.path)
            return Path(file.name).read_bytes()

    @functools.cached_property
    def linker(self):
        """The dynamic linker's path, which the program has."""
        path = re.search(r"program interpreter: (\S+?)\]", run("readelf", "--program-headers", "--wide", self.path))[1]
        # /lib is a link to /usr/lib.
        return "/usr" + path

    @functools.cached_property
    def libraries(self):
        """The shared libraries that are loaded with the program, also indirectly, and the dynamic linker:
        {path by which they are loaded: path of the file}."""
        found, left = {}, [self.path]
        while left:
            for name in re.findall(r"\(NEEDED\).*\[(\S+)\]", run("readelf", "--dynamic", "--wide", left.pop())):
                path = f"/usr/lib/{TRIPLETS[self.architecture]}/{name}"
                if name == Path(self.linker).name:
                    path = self.linker
                if path not in found:
                    if not self.below(path).exists():
                        raise SystemExit(f"{self.path} needs {name}, and there is no {self.below(path)}")
                    found[path] = "/" + str(self.below(path).resolve().relative_to(self.root.resolve()))
                    left.append(str(self.below(path)))
        return found

    def query(self, *words):
        return run("dpkg-query", f"--admindir={self.below('/var/lib/dpkg')}", *words)

    @functools.cached_property
    def owners(self):
        """The packages that the libraries are from: {file: package}. dpkg knows some by their path from before
        /lib became a link to /usr/lib."""
        files = tuple(self.libraries.values())
        names = [name for file in files for name in (file, file.removeprefix("/usr"))]
        # Its status only says whether it found all; each file has one name that it does not know.
        listed = subprocess.run(["dpkg-query", f"--admindir={self.below('/var/lib/dpkg')}", "--search", *names],
                                capture_output=True, text=True).stdout
        known = {path: package.split(":")[0] for package, path in re.findall(r"^([^,\n]+): (\S+)$", listed, re.M)}
        found = {file: known.get(file) or known.get(file.removeprefix("/usr")) for file in files}
        for file, package in found.items():
            if not package:
                raise SystemExit(f"{file} is from no Debian package; the image has only files of Debian's")
        return found

    @functools.cached_property
    def zones(self):
        """The files of the database of time zones. Without each zone's further copies (posix/, right/), and this
        machine's own zone, to which a file of the package leads."""
        listed = self.query("--listfiles", "tzdata")
        found = re.findall(r"^/usr/share/zoneinfo/(?!posix|right|localtime).+", listed, re.M)
        files = [path for path in found if self.below(path).is_file()]
        if not files:
            raise SystemExit("the package tzdata is missing; .ci/install installs it")
        return files

    @functools.cached_property
    def packages(self):
        """The packages that files of the image are from."""
        found = sorted({*self.owners.values(), "base-files", "ca-certificates", "tzdata"})
        if self.architecture == native():
            refuse_changed_files(found, (*self.libraries.values(), *self.zones))
        return found

    def fields(self, package):
        """The package's fields: name, version, architecture, and the source package with its version."""
        form = "${Package}\n${Version}\n${Architecture}\n${source:Package}\n${source:Version}"
        values = self.query("--show", f"--showformat={form}", package).split("\n")
        return dict(zip(("name", "version", "architecture", "source", "source_version"), values))

    @functools.cached_property
    def release(self):
        """The number of Debian's release, as in "12"."""
        return re.search(r'^VERSION_ID="?([^"\n]*)', self.below("/usr/lib/os-release").read_text(), re.M).group(1)

    def copyright_of(self, package):
        return self.below(f"/usr/share/doc/{package}/copyright").read_bytes()


def refuse_changed_files(packages, files):
    """Ends the program if one of this machine's files is not as its package installed it."""
    listed = subprocess.run(["dpkg", "--verify", *packages], capture_output=True, text=True).stdout
    changed = {line.split()[-1] for line in listed.splitlines() if "missing" not in line}
    changed = {path for path in files if path in changed or path.removeprefix("/usr") in changed}
    if changed:
        raise SystemExit(f"not as their package installed them: {', '.join(sorted(changed))}")
