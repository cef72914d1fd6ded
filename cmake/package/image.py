#!/usr/bin/env python3
"""Packs the image as one archive, without a Docker engine: image.py BALLAST ROOTFS FILE [TAG].

BALLAST is the program that ROOTFS, the archive that rootfs.py wrote, was made of. FILE is an OCI layout
and at the same time what `docker save` writes, so that all of these read it: docker load, podman load,
ctr image import, kind load image-archive, minikube image load, skopeo copy. TAG is by default the
program's version. What it runs, as whom, and the labels are those of the Dockerfile's last stage. The
same input gives the same bytes.
"""

import hashlib
import json
import re
import string
import sys
from datetime import datetime, timezone
from pathlib import Path

from archive import ROOT, Archive, build_time, compressed
from debian import run


def stage(values):
    """The image's configuration, from the Dockerfile's last stage; `values`: those of its ARGs."""
    text = (ROOT / "Dockerfile").read_text().rpartition("FROM scratch\n")[2]
    lines = re.findall(r"^([A-Z]+) (.*)$", text, re.M)
    args = {key: values[key] for key in (rest.split("=")[0] for word, rest in lines if word == "ARG")}
    config = {"Env": ["PATH=/usr/local/bin:/usr/bin"], "Labels": {}}
    for word, rest in lines:
        rest = string.Template(rest).substitute(args)
        if word == "LABEL":
            key, value = rest.split("=", 1)
            config["Labels"][key] = json.loads(value)
        elif word == "USER":
            config["User"] = rest
        elif word == "VOLUME":
            config["Volumes"] = {path: {} for path in rest.split()}
        elif word == "EXPOSE":
            config["ExposedPorts"] = {f"{port}/tcp": {} for port in rest.split()}
        elif word in ("ENTRYPOINT", "CMD"):
            config[word.capitalize()] = json.loads(rest)
        elif word not in ("ARG", "COPY"):
            raise SystemExit(f"Dockerfile: {word} in the last stage; cmake/package/image.py does not know it")
    return config


class Layout:
    """The blobs of an image, by their digests."""

    def __init__(self):
        self.archive = Archive()

    def blob(self, content, media_type):
        digest = hashlib.sha256(content).hexdigest()
        self.archive.add(f"blobs/sha256/{digest}", content)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def document(self, value, media_type):
        return self.blob(compact(value), media_type)


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def make(program, content, tag=None):
    """The image's archive; `content`: the root file system's bytes."""
    about = json.loads(run(program, "version", "-o", "json"))
    architecture = run("dpkg", "--print-architecture").strip()
    created = datetime.fromtimestamp(build_time(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    layout = Layout()
    layer = layout.blob(compressed(content), "application/vnd.oci.image.layer.v1.tar+gzip")
    config = layout.document({
        "created": created, "architecture": architecture, "os": "linux",
        "config": stage({"VERSION": about["version"], "COMMIT": about["commit"]}),
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(content).hexdigest()}"]},
        "history": [{"created": created, "created_by": "cmake/package/rootfs.py"}],
    }, "application/vnd.oci.image.config.v1+json")
    manifest = layout.document({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                                "config": config, "layers": [layer]},
                               "application/vnd.oci.image.manifest.v1+json")
    tag = tag or about["version"]
    manifest["platform"] = {"architecture": architecture, "os": "linux"}
    # The full name is what containerd reads, the tag what others read.
    manifest["annotations"] = {"io.containerd.image.name": f"docker.io/library/ballast:{tag}",
                               "org.opencontainers.image.ref.name": tag}
    layout.archive.add("oci-layout", compact({"imageLayoutVersion": "1.0.0"}))
    layout.archive.add("index.json", compact({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}))
    path = lambda blob: "blobs/sha256/" + blob["digest"].removeprefix("sha256:")
    layout.archive.add("manifest.json", compact(
        [{"Config": path(config), "RepoTags": [f"ballast:{tag}"], "Layers": [path(layer)]}]))
    return layout.archive


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    program, root, file, *tag = sys.argv[1:]
    Path(file).write_bytes(make(program, Path(root).read_bytes(), *tag).content())
