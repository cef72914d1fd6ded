#!/usr/bin/env python3
"""Publishes a release in a registry on loopback, by cmake/package/publish: what is pulled back is what was made, helm
installs it from there, and a version is published once. krew installs the plugin."""

import json
import os
import subprocess
import sys
import tarfile
import unittest

from support.agent import PACKAGE
from support.case import ClusterCase
from support.cluster import ROOT
from support.process import BALLAST

sys.path.insert(0, str(PACKAGE))
from registry import Crane  # noqa: E402


class PublishTest(ClusterCase):
    VALUES = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.crane = Crane()
        cls.registry = cls.enterClassContext(cls.crane.registry())
        cls.files = cls.make("release")
        cls.version = json.loads(subprocess.check_output([BALLAST, "version", "-o", "json"]))["version"]
        cls.image, cls.chart = f"{cls.registry}/ballast", f"{cls.registry}/charts/ballast"
        cls.published = cls.publish(cls.files)

    @classmethod
    def make(cls, name, *words, **environment):
        folder = cls.cluster.folder / name
        subprocess.run([PACKAGE / "release.py", *(words or ("--registry", cls.registry)), folder, BALLAST], check=True,
                       env=os.environ | environment)
        return folder

    @classmethod
    def publish(cls, folder):
        return subprocess.run([PACKAGE / "publish", folder, cls.registry], capture_output=True, text=True,
                              check=False, env=cls.cluster.environment | {
                                  "PATH": f"{cls.cluster.dir / 'bin'}:{os.environ['PATH']}"})

    def test_what_is_pulled_is_what_was_made(self):
        self.assertEqual(self.published.returncode, 0, self.published.stderr)
        with tarfile.open(self.files / f"ballast-{self.version}-image.tar") as tar:
            made = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
        described, = json.loads(made["index.json"])["manifests"]
        chart = self.crane("digest", f"{self.chart}:{self.version}")
        self.assertEqual(self.published.stdout.splitlines(),
                         [f"{self.image}@{described['digest']}", f"{self.chart}@{chart}"])

        self.crane("validate", "--remote", f"{self.image}:{self.version}")
        pulled = self.cluster.folder / "pulled"
        self.crane("pull", "--format", "oci", f"{self.image}@{described['digest']}", str(pulled))
        blobs = {file.relative_to(pulled).as_posix(): file.read_bytes() for file in pulled.glob("blobs/*/*")}
        self.assertEqual(blobs, {name: content for name, content in made.items() if name.startswith("blobs/")})

        self.cluster.helm("pull", f"oci://{self.chart}", "--version", self.version, "--plain-http",
                          "--destination", str(self.cluster.folder))
        self.assertEqual((self.cluster.folder / f"ballast-{self.version}.tgz").read_bytes(),
                         (self.files / f"ballast-{self.version}.tgz").read_bytes())

    def test_helm_installs_it_from_there(self):
        chart = ["ballast", f"oci://{self.chart}", "--version", self.version, "--plain-http", "--namespace", "published"]
        self.assertIn(f'image: "{self.image}:{self.version}"', self.cluster.helm("template", *chart, "--kube-version", "1.36.0"))
        self.cluster.helm("install", *chart, "--create-namespace", "--set", "replicas=0")
        self.assertIn("autoscalepolicies", self.cluster.kubectl("get", "crd", "-o", "name"))

    def test_krew_installs_the_plugin(self):
        files = self.make("for-krew", "--downloads", "https://example.com/releases")
        home = self.cluster.folder / "krew"
        plugin, = files.glob("kubectl-*")
        # Of which it would ask the internet.
        environment = os.environ | {"KREW_ROOT": str(home), "KREW_NO_UPGRADE_CHECK": "1"}
        done = subprocess.run([PACKAGE / "go-tool", ROOT / "tests/krew", "install", f"--archive={plugin}",
                               f"--manifest={files / f'ballast-{self.version}-krew.yaml'}"],
                              env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(self.version, subprocess.check_output([home / "bin/kubectl-ballast", "version"], text=True))

    def test_a_version_is_published_once(self):
        self.assertEqual(self.publish(self.files).stdout, self.published.stdout)
        for name, folder in {
            f"{self.image}:{self.version}": self.make("later", "--registry", self.registry, SOURCE_DATE_EPOCH="1"),
            f"{self.chart}:{self.version}": self.make("another", "--registry", "registry.example.com"),
        }.items():
            with self.subTest(name):
                done = self.publish(folder)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                self.assertIn(f"publish: {name} is there already, as sha256:", done.stderr)
        (folder / "SHA256SUMS").write_text("")
        self.assertIn("SHA256SUMS", self.publish(folder).stderr)


if __name__ == "__main__":
    unittest.main()
