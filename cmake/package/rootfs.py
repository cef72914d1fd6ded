#!/usr/bin/env python3
"""Writes the image's root file system as a tar archive: rootfs.py BALLAST FILE.

BALLAST is the program, FILE the archive to write. It gets what the program needs and nothing else, so
that there is no shell and nothing to call: the stripped program, the shared libraries that it is
linked to, the certificate authorities that Debian trusts, the time zones, and a user. Everything but
the program is from Debian's packages, unchanged: on this machine, or of the program's architecture; for
scanners their names and versions are where distroless images have them too (/var/lib/dpkg/status.d).
Needs no rights, and no network. The same program and packages give the same bytes, at any time
($SOURCE_DATE_EPOCH, else the commit's).
"""

import sys
from pathlib import Path

from archive import ROOT, Archive
from debian import Program

USER = 65532  # the chart's podSecurityContext has the same
# Compiled into the program from headers alone; shared libraries are found by themselves. The check
# `image` compares.
HEADERS_OF = ("libboost1.74-dev", "libcli11-dev", "libfmt-dev", "libspdlog-dev", "libstdc++-12-dev", "rapidjson-dev")
FILES = {
    "etc/passwd": f"root:x:0:0:root:/:/sbin/nologin\nballast:x:{USER}:{USER}:ballast:/var/lib/ballast:/sbin/nologin\n",
    "etc/group": f"root:x:0:\nballast:x:{USER}:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}
LINKS = {
    "bin": "usr/bin",
    "etc/os-release": "../usr/lib/os-release",
    "lib": "usr/lib",
    "lib64": "usr/lib64",
    "sbin": "usr/sbin",
    "usr/bin/ballast": "../local/bin/ballast",
    # Where OpenSSL looks for authorities.
    "usr/lib/ssl/cert.pem": "../../../etc/ssl/certs/ca-certificates.crt",
    "usr/lib/ssl/certs": "../../../etc/ssl/certs",
}


def authorities(program):
    """Mozilla's, from the package: those of this machine may have additions."""
    files = sorted(program.below("/usr/share/ca-certificates/mozilla").glob("*.crt"))
    if not files:
        raise SystemExit("the package ca-certificates is missing; .ci/install installs it")
    return b"".join(file.read_bytes().rstrip(b"\n") + b"\n" for file in files)


def make(program):
    """The root file system for the Program, as an Archive."""
    archive = Archive()
    archive.add("usr/local/bin/ballast", program.stripped, mode=0o755)
    for path, file in program.libraries.items():
        archive.add(path.removeprefix("/"), program.below(file).read_bytes(), mode=0o755)
    archive.add("etc/ssl/certs/ca-certificates.crt", authorities(program))
    for path in program.zones:
        archive.add(path.removeprefix("/"), program.below(path).read_bytes())
    archive.add("usr/lib/os-release", program.below("/usr/lib/os-release").read_bytes())
    for path, content in FILES.items():
        archive.add(path, content)
    for path, link in LINKS.items():
        archive.link(path, link)
    for path in "usr/bin", "usr/sbin":
        archive.folder(path)
    archive.folder("tmp", mode=0o1777)
    archive.folder("var/lib/ballast", mode=0o750, owner=USER)
    for package in program.packages:
        archive.add(f"var/lib/dpkg/status.d/{package}", program.query("--status", package))
    for package in (*program.packages, *HEADERS_OF):
        archive.add(f"usr/share/doc/{package}/copyright", program.copyright_of(package))
    archive.add("usr/share/doc/ballast/copyright", (ROOT / "LICENSE").read_bytes())
    return archive


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_bytes(make(Program(sys.argv[1])).content())
