#!/usr/bin/env python3
"""Packs the image as one archive, without a Docker engine: image.py [--tag TAG] FILE BALLAST [OTHER...].

BALLAST is the program of this machine's architecture, OTHER the one of another. crane makes an image of each, and of
several an index. FILE is the OCI layout that it leaves, and at the same time what `docker save` writes, so that all of
these read it: docker load, podman load, ctr image import, kind load image-archive, minikube image load, skopeo copy.
TAG is by default the program's version. The same input gives the same bytes.
"""

import argparse
import json
import tempfile
from datetime import datetime, timezone
from pathlib import Path

import rootfs
from archive import Archive, build_time, compressed
from debian import Program, run
from registry import Crane

# The Dockerfile says the same; the check `image` compares.
USER = f"{rootfs.USER}:{rootfs.USER}"
PORTS = ("8080/tcp", "9443/tcp")
LABELS = {"title": "ballast", "licenses": "Apache-2.0",
          "description": "An autoscaler for Kubernetes workloads that records and explains every decision"}


def push(crane, registry, program, about):
    """Makes the image of a program in the registry, and returns its name there."""
    name = f"{registry}/ballast:{program.architecture}"
    with tempfile.NamedTemporaryFile(suffix=".tar.gz") as layer:
        layer.write(compressed(rootfs.make(program).content()))
        layer.flush()
        crane("append", "--oci-empty-base", "--new_layer", layer.name, "--new_tag", name)
    labels = LABELS | {"version": about["version"], "revision": about["commit"]}
    created = datetime.fromtimestamp(build_time(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return crane("mutate", name, "--tag", name, "--set-platform", f"linux/{program.architecture}", "--user", USER,
                 "--exposed-ports", ",".join(PORTS), "--entrypoint", "/usr/local/bin/ballast", "--cmd", "operator",
                 "--env", "PATH=/usr/local/bin:/usr/bin",
                 "--annotation", f"org.opencontainers.image.created={created}",
                 *(word for key, text in labels.items() for word in ("--label", f"org.opencontainers.image.{key}={text}")))


def refuse_another_commit(program, about):
    """Ends this program if the other one is of other sources."""
    if about["commit"].encode() not in Path(program.path).read_bytes():
        raise SystemExit(f"{program.path} is not of the commit {about['commit']}; build it again")


def layout(programs, about, folder):
    """Writes the image, or the index of several, into the folder, as an OCI layout."""
    crane = Crane()
    with crane.registry() as registry:
        images = [push(crane, registry, program, about) for program in programs]
        made = images[0]
        if len(images) > 1:
            made = f"{registry}/ballast:index"
            crane("index", "append", "--tag", made, *(word for image in images for word in ("--manifest", image)))
        crane("pull", "--format", "oci", made, folder)


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def make(programs, tag=None):
    """The image's archive, of Programs."""
    about = json.loads(run(programs[0].path, "version", "-o", "json"))
    for program in programs:
        refuse_another_commit(program, about)
    tag = tag or about["version"]
    archive = Archive()
    with tempfile.TemporaryDirectory() as folder:
        layout(programs, about, folder)
        for file in Path(folder).rglob("*"):
            if file.is_file():
                archive.add(file.relative_to(folder).as_posix(), file.read_bytes())
    blob = lambda digest: "blobs/sha256/" + digest.removeprefix("sha256:")
    read = lambda described: json.loads(archive.members[blob(described["digest"])][1])

    index = json.loads(archive.members["index.json"][1])
    made, = index["manifests"]
    made.pop("artifactType", None)  # crane gives an image its configuration's
    # The full name is what containerd reads, the tag what others read.
    made["annotations"] = {"io.containerd.image.name": f"docker.io/library/ballast:{tag}",
                           "org.opencontainers.image.ref.name": tag}
    archive.add("index.json", compact(index))

    # `docker save` knows no index: this machine's image has the tag, in others' their architecture follows.
    docker = []
    for manifest in map(read, read(made).get("manifests", [made])):
        architecture = read(manifest["config"])["architecture"]
        suffix = "" if architecture == programs[0].architecture else f"-{architecture}"
        docker.append({"Config": blob(manifest["config"]["digest"]), "RepoTags": [f"ballast:{tag}{suffix}"],
                       "Layers": [blob(layer["digest"]) for layer in manifest["layers"]]})
    archive.add("manifest.json", compact(docker))
    return archive


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag")
    parser.add_argument("file", type=Path)
    parser.add_argument("programs", nargs="+")
    given = parser.parse_args()
    given.file.write_bytes(make([Program(program) for program in given.programs], given.tag).content())
