#!/usr/bin/env python3
"""Makes the files of a release: release.py BALLAST FOLDER.

BALLAST is the program, FOLDER a folder for the files, which must be new or empty: the chart, the image,
the plugin of kubectl, the definition of AutoScalePolicy, the bill of materials, the licences of all that
is in them, and SHA256SUMS. The same sources, program and packages give the same bytes.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import debian
import image
import rootfs
import sbom
from archive import ROOT, Archive, compressed

# The plugin brings its libraries, so it runs on any distribution; kubectl_complete-ballast is a link to
# it, and its name tells the program what to do. OpenSSL finds the machine's
# certificate authorities where Debian has them; elsewhere they have to be named.
PLUGIN = """#!/bin/sh
# Runs `ballast` with the libraries beside it.
here=$(dirname "$(readlink -f "$0")")/lib
if [ -z "$SSL_CERT_FILE" ] && [ ! -e /usr/lib/ssl/cert.pem ]; then
  for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem \\
      /etc/ssl/cert.pem; do
    if [ -e "$file" ]; then
      export SSL_CERT_FILE="$file"
      break
    fi
  done
fi
exec "$here/LINKER" --argv0 "$0" --library-path "$here" "$here/ballast" "$@"
"""


def chart():
    """What `helm package` packs, with fixed times."""
    archive = Archive()
    files = subprocess.run(["git", "ls-files", "charts/ballast"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in files.stdout.split():
        archive.add(name.removeprefix("charts/"), (ROOT / name).read_bytes())
    return archive


def plugin(program):
    archive = Archive()
    libraries = debian.libraries(program)
    linker, = (Path(path).name for path in libraries if Path(path).name.startswith("ld-linux"))
    archive.add("kubectl-ballast", PLUGIN.replace("LINKER", linker), mode=0o755)
    archive.link("kubectl_complete-ballast", "kubectl-ballast")
    archive.add("lib/ballast", rootfs.stripped(program), mode=0o755)
    for path, file in libraries.items():
        archive.add(f"lib/{Path(path).name}", Path(file).read_bytes(), mode=0o755)
    archive.add("licences.txt", licences(program))
    return archive


def licences(program):
    """The licence of the project, and the copyright file of each package of which there is something."""
    line = "=" * 80
    parts = [f"{line}\nballast\n{line}\n" + (ROOT / "LICENSE").read_text()]
    for package in (*rootfs.installed(program), *rootfs.HEADERS_OF):
        parts.append(f"{line}\n{package}, from Debian\n{line}\n" + debian.copyright_of(package).decode())
    return "\n".join(parts)


def main(program, folder):
    about = json.loads(debian.run(program, "version", "-o", "json"))
    name = f"ballast-{about['version']}"
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise SystemExit(f"{folder} is not empty")
    packed = image.make(program, rootfs.make(program).content()).content()
    architecture = debian.run("dpkg", "--print-architecture").strip()
    files = {
        f"{name}.tgz": compressed(chart().content()),
        f"{name}-image.tar": packed,
        f"{name}-crd.yaml": debian.run(program, "crd").encode(),
        f"kubectl-{name}-linux-{architecture}.tar.gz": compressed(plugin(program).content()),
        f"{name}.spdx.json": sbom.make(program, about, packed).encode(),
        f"{name}-licences.txt": licences(program).encode(),
    }
    files["SHA256SUMS"] = "".join(f"{hashlib.sha256(content).hexdigest()}  {file}\n"
                                  for file, content in sorted(files.items())).encode()
    for file, content in files.items():
        (target / file).write_bytes(content)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
