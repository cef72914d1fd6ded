#!/usr/bin/env python3
"""Makes the files of a release: release.py [--registry REGISTRY] [--downloads URL] FOLDER BALLAST [OTHER...].

BALLAST is the program, OTHER the one of another architecture, and FOLDER a folder for the files, which must be new or empty: the chart, the image,
the plugin of kubectl, the definitions of AutoScalePolicy and AutoScaleOverride and their JSON schemas, the bill of materials, the
licences of all that is in them, and SHA256SUMS. The same sources, program and packages give the same bytes.

With --registry, as in registry.example.com/team, the chart takes the image from there, where `publish` pushes
it. With --downloads, the address below which these files will be, there is a manifest for krew, too.
"""

import argparse
import hashlib
import json
import re
import string
import subprocess
from pathlib import Path

import image
import rootfs
import sbom
from archive import ROOT, Archive, compressed
from debian import Program, run

# The plugin brings its libraries, so it runs on any distribution; kubectl_complete-ballast is the same, since
# krew unpacks no links, and its name tells the program what to do. OpenSSL finds the machine's
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


KREW_PLATFORM = """\
  - selector:
      matchLabels: {os: linux, arch: $architecture}
    uri: $url
    sha256: $sum
    bin: kubectl-ballast"""
NO_REPOSITORY = '  repository: ""\n'
ARCHITECTURES = "  architectures: [amd64]\n"


def replaced(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def packed_text(name, text, architectures, registry):
    """A file of the chart, which knows where its image is, and for which nodes."""
    if name == "ballast/values.yaml":
        if registry:
            text = replaced(text, NO_REPOSITORY, f"  repository: {registry}/ballast\n")
        return replaced(text, ARCHITECTURES, f"  architectures: [{', '.join(architectures)}]\n")
    if name == "ballast/Chart.yaml" and registry:
        version = re.search(r"^appVersion: (.*)$", text, re.M)[1]
        return text + f"  artifacthub.io/images: |\n    - name: ballast\n      image: {registry}/ballast:{version}\n"
    return text


def chart(architectures=("amd64",), registry=None):
    """What `helm package` packs, with fixed times."""
    archive = Archive()
    files = subprocess.run(["git", "ls-files", "charts/ballast"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in files.stdout.split():
        packed, text = name.removeprefix("charts/"), (ROOT / name).read_text()
        archive.add(packed, packed_text(packed, text, architectures, registry))
    return archive


def plugin(program):
    archive = Archive()
    for name in "kubectl-ballast", "kubectl_complete-ballast":
        archive.add(name, PLUGIN.replace("LINKER", Path(program.linker).name), mode=0o755)
    archive.add("lib/ballast", program.stripped, mode=0o755)
    for path, file in program.libraries.items():
        archive.add(f"lib/{Path(path).name}", program.below(file).read_bytes(), mode=0o755)
    archive.add("licences.txt", licences([program]))
    return archive


def licences(programs):
    """The licence of the project, and the copyright file of each package of which there is something."""
    line = "=" * 80
    parts = {"ballast": f"{line}\nballast\n{line}\n" + (ROOT / "LICENSE").read_text()}
    for program in programs:
        for package in (*program.packages, *rootfs.HEADERS_OF):
            # Those of two architectures are of one source.
            parts.setdefault(package, f"{line}\n{package}, from Debian\n{line}\n" + program.copyright_of(package).decode())
    return "\n".join(parts.values())


def krew(version, downloads, plugins):
    """The manifest for krew. `plugins`: {architecture: (name, content)} of their archives."""
    platforms = [string.Template(KREW_PLATFORM).substitute(
        architecture=architecture, url=f"{downloads.rstrip('/')}/{name}", sum=hashlib.sha256(content).hexdigest())
        for architecture, (name, content) in plugins.items()]
    template = (ROOT / "cmake/package/krew.yaml").read_text().partition("\n")[2]  # without its comment
    return string.Template(template).substitute(version=version, platforms="\n".join(platforms))


def main(folder, programs, registry, downloads):
    about = json.loads(run(programs[0], "version", "-o", "json"))
    definition = lambda *words: run(programs[0], "crd", *words).encode()
    definitions = {"crd.yaml": definition(),
                   "autoscalepolicy.schema.json": definition("--json-schema"),
                   "autoscaleoverride.schema.json": definition("--override-json-schema")}
    name = f"ballast-{about['version']}"
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise SystemExit(f"{folder} is not empty")
    programs = [Program(program) for program in programs]
    packed = image.make(programs).content()
    plugins = {program.architecture: (f"kubectl-{name}-linux-{program.architecture}.tar.gz",
                                      compressed(plugin(program).content())) for program in programs}
    files = {
        f"{name}.tgz": compressed(chart(list(plugins), registry).content()),
        f"{name}-image.tar": packed,
        **{f"{name}-{kind}": content for kind, content in definitions.items()},
        f"{name}.spdx.json": sbom.make(programs, about, packed).encode(),
        f"{name}-licences.txt": licences(programs).encode(),
        **dict(plugins.values()),
    }
    if downloads:
        files[f"{name}-krew.yaml"] = krew(about["version"], downloads, plugins).encode()
    files["SHA256SUMS"] = "".join(f"{hashlib.sha256(content).hexdigest()}  {file}\n"
                                  for file, content in sorted(files.items())).encode()
    for file, content in files.items():
        (target / file).write_bytes(content)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--registry")
    parser.add_argument("--downloads")
    parser.add_argument("folder")
    parser.add_argument("programs", nargs="+")
    main(**vars(parser.parse_args()))
