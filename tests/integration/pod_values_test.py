#!/usr/bin/env python3
"""Tests values of the chart where its pod really runs: what they give the pod, claims and ids of somebody
else, cert-manager's certificate, the chart as a release packs it, drains, and the commands of the notes."""

import base64
import json
import os
import re
import ssl
import subprocess
import sys
import unittest
from pathlib import Path

from support import definitions
from support.agent import CONTROLLERS, PACKAGE, enter_network
from support.api import ApiError, path
from support.cluster import CHART, RELEASE, RELEASE_NAMESPACE, ROOT
from support.notes import commands
from support.objects import condition, deployment, namespaced, policy
from support.pod_case import HELM, UNINSTALLED, PodCase
from support.waiting import wait_until
from support.webhook import answers, try_out

POD = f"{RELEASE}-0"
CLAIM = path("v1", "persistentvolumeclaims", RELEASE_NAMESPACE, f"store-{POD}")
SECRET = f"{RELEASE}-webhook"
PLATFORMS_ID = 1000650000  # of the size that OpenShift chooses
PACK = "import sys, release; sys.stdout.buffer.write(release.compressed(release.chart().content()))"
# A kubectl that prints what it is to execute, because the agent does not serve `kubectl exec`.
KUBECTL = """#!/bin/sh
if [ "$3" = exec ]; then shift 3; echo "$@"; else exec %s "$@"; fi
"""


class PodValuesTest(PodCase):
    DENIED = UNINSTALLED
    LOADS = {("shop", "web"): 150, ("default", "web"): 150}
    OPTIONS = (*CONTROLLERS, "--flag", "kube-controller-manager=--controllers=disruption-controller")

    def setUp(self):
        super().setUp()
        self.space = self.cluster.namespace(RELEASE_NAMESPACE)

    def pod(self):
        return self.api.get(path("v1", "pods", RELEASE_NAMESPACE, POD))

    def process(self):
        """The folder in /proc of the operator's process."""
        return Path(f"/proc/{self.agent.process(POD, RELEASE)}")

    def ballast(self, *words):
        """What the program says in the operator's pod."""
        return self.agent.execute(POD, RELEASE, "ballast", *words)

    def place(self, object_):
        """Creates the object in the release's namespace until the test ends."""
        self.space.apply(object_)
        self.addCleanup(self.api.delete, self.space.path(object_))

    def test_the_pod_has_what_the_values_give_it(self):
        secret = lambda name, **data: namespaced("v1", "Secret", name, stringData=data)
        self.place(secret("credentials", token="t0ken"))
        self.place(namespaced("v1", "ConfigMap", "more", data={"word": "more of it"}))
        self.install(
            'extraEnv=[{"name":"SSL_CERT_FILE","value":"/etc/more/ca.crt"}]',
            'extraVolumes=[{"name":"more","configMap":{"name":"more"}}]',
            'extraVolumeMounts=[{"name":"more","mountPath":"/etc/more"}]',
            'metricSources=[{"name":"main","url":"http://prometheus:9090","namespaces":["*"],'
            '"bearerTokenFile":"/etc/ballast/metric-source/token"}]',
            'metricSourceSecret="credentials"',
            'policyRules=[{"name":"small","limits":{"maxReplicas":5}}]')
        environment = (self.process() / "environ").read_text().split("\0")
        self.assertIn("SSL_CERT_FILE=/etc/more/ca.crt", environment)
        root = self.process() / "root"
        self.assertEqual((root / "etc/more/word").read_text(), "more of it")
        self.assertEqual((root / "etc/ballast/metric-source/token").read_text(), "t0ken")
        with self.assertRaises(ApiError) as refused:
            try_out(self.api, policy("large", max_replicas=6))
        self.assertIn("spec.maxReplicas: is 6; rule small", refused.exception.message)
        try_out(self.api, policy("large", max_replicas=5))

    def test_a_claim_and_ids_that_others_chose(self):
        with (self.cluster.folder / "whose").open("w") as file:
            try:
                os.chown(file.fileno(), PLATFORMS_ID, PLATFORMS_ID)
            except OSError:
                self.skipTest("this user namespace has no such id")
        self.helm("uninstall", "--wait", "--timeout", HELM)
        self.place(namespaced("v1", "PersistentVolumeClaim", "ledger", spec={
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}))
        self.addCleanup(self.helm, "uninstall", "--wait", "--timeout", HELM)
        self.install('store.persistence.existingClaim="ledger"',
                     *(f"podSecurityContext.{id_}={PLATFORMS_ID}" for id_ in ("runAsUser", "runAsGroup", "fsGroup")))
        status = (self.process() / "status").read_text()
        for kind, number in (("Uid", 4), ("Gid", 4), ("Groups", 1)):
            self.assertEqual(re.search(rf"^{kind}:\t(.*)$", status, re.M)[1].split(), [str(PLATFORMS_ID)] * number)
        self.assertEqual((self.process() / "root/var/lib/ballast/ballast.db").stat().st_uid, PLATFORMS_ID)

        shop = self.cluster.namespace("shop")
        shop.apply(deployment("web"), policy("web"))
        self.wait_for_replicas(shop, deployment("web"), 3)
        scaled = wait_until("the decision", lambda: self.changes("shop/web"))
        before = self.pod()["metadata"]["uid"]
        self.api.delete(path("v1", "pods", RELEASE_NAMESPACE, POD))
        def is_replaced():
            pod = self.pod()
            return pod and pod["metadata"]["uid"] != before and condition(pod, "Ready")["status"] == "True"
        wait_until("another pod", is_replaced)
        self.assertEqual(self.changes("shop/web"), scaled)
        self.assertEqual(shop.replicas(deployment("web")), 3)

    def test_a_claim_grows_as_the_docs_say(self):
        self.cluster.kubectl("apply", "-f", "-", input_=json.dumps({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "grows"},
            "provisioner": "nobody", "allowVolumeExpansion": True}))
        self.remove_with_the_claim()
        self.addCleanup(self.release)  # whose operator has its rights again
        self.addCleanup(self.remove_with_the_claim)
        self.install('store.persistence.storageClassName="grows"', 'store.persistence.size="8Gi"')
        before = self.pod()["metadata"]["uid"]
        size = lambda claim: claim["spec"]["resources"]["requests"]["storage"]
        self.assertEqual(size(self.api.get(CLAIM)), "8Gi")
        page = (ROOT / "docs/install.md").read_text().split("\n## Upgrade\n")[1].split("\n## ")[0]
        block = re.search(r"size, class or access mode:\n\n((?:    .*\n)+)", page)[1]
        for name in ("-n", "--namespace"):
            block = block.replace(f"{name} ballast ", f"{name} {RELEASE_NAMESPACE} ")
        self.run_(f"set -e; cd {ROOT}\n{block}")
        self.assertEqual(size(self.api.get(CLAIM)), "16Gi")
        set_ = path("apps/v1", "statefulsets", RELEASE_NAMESPACE, RELEASE)
        wait_until("the StatefulSet to have the pod again",
                   lambda: self.api.get(set_).get("status", {}).get("readyReplicas") == 1)
        self.assertEqual(size(self.api.get(set_)["spec"]["volumeClaimTemplates"][0]), "16Gi")
        self.assertEqual(self.pod()["metadata"]["uid"], before)
        self.assertTrue(answers(self.api))

    def remove_with_the_claim(self):
        self.helm("uninstall", "--wait", "--timeout", HELM, "--ignore-not-found")
        wait_until("the pod to be gone", lambda: not self.pods())
        self.api.delete(CLAIM)
        wait_until("the claim to be gone", lambda: not self.api.get(CLAIM))

    def changes(self, name):
        """The changes of the replicas on record, each with its time and outcome."""
        lines = self.ballast("history", name, "--changes-only", "--no-headers").splitlines()
        return [" ".join(line.split()) for line in lines if " written " in line]

    def test_serves_with_the_certificate_of_cert_manager(self):
        """Plays cert-manager: fills the Secret. (Its authority is in the webhook's configurations already.)"""
        where = path("v1", "secrets", RELEASE_NAMESPACE, SECRET)
        pair = {key: self.api.get(where)["data"][key] for key in ("tls.crt", "tls.key")}
        definitions.define(self.cluster)
        wait_until("the kinds of cert-manager to be served", lambda: not self.cluster.kubectl(
            "get", "certificates,issuers", check=False).returncode)
        self.cluster.helm("upgrade", RELEASE, CHART, "--namespace", RELEASE_NAMESPACE,
                          "--set", "image.repository=ballast,webhook.certManager.enabled=true")
        self.assertIsNone(self.api.get(where))  # the chart's own
        self.place(namespaced("v1", "Secret", SECRET, type="kubernetes.io/tls", data=pair))
        def serves():
            pod = self.pod()
            arguments = pod["spec"]["containers"][0]["args"] if pod else []
            return ("--webhook-certificate-dir=/etc/ballast/webhook" in arguments
                    and condition(pod, "Ready")["status"] == "True")
        wait_until("the pod to be ready", serves)
        wait_until("the API server to reach it", lambda: answers(self.api))
        service = self.api.get(path("v1", "services", RELEASE_NAMESPACE, SECRET))
        self.assertEqual(ssl.get_server_certificate((service["spec"]["clusterIP"], 443)).strip(),
                         base64.b64decode(pair["tls.crt"]).decode().strip())

    def test_a_drain_leaves_one_replica(self):
        self.install('preset="ha"')
        names = [pod["metadata"]["name"] for pod in self.pods()]
        self.assertEqual(len(names), 2)
        budget = path("policy/v1", "poddisruptionbudgets", RELEASE_NAMESPACE, RELEASE)
        wait_until("one may go", lambda: self.api.get(budget)["status"].get("disruptionsAllowed") == 1)
        self.evict(names[0])
        with self.assertRaises(ApiError) as refused:
            self.evict(names[1])
        self.assertEqual(refused.exception.status, 429)
        self.assertIn("disruption budget", refused.exception.message)

    def evict(self, name):
        eviction = namespaced("policy/v1", "Eviction", name)
        eviction["metadata"]["namespace"] = RELEASE_NAMESPACE
        self.api.request("POST", path("v1", "pods", RELEASE_NAMESPACE, name, "eviction"), eviction)

    def test_the_packed_chart_installs(self):
        packed = self.cluster.folder / "ballast.tgz"
        done = subprocess.run([sys.executable, "-B", "-c", PACK], cwd=PACKAGE, capture_output=True, check=True)
        packed.write_bytes(done.stdout)
        unpacked = self.cluster.render_chart('image.repository="ballast"')
        self.assertEqual(unpacked, self.cluster.helm(
            "template", RELEASE, packed, "--namespace", RELEASE_NAMESPACE, "--kube-version", "1.36.0",
            "--set", "image.repository=ballast"))
        self.helm("uninstall", "--wait", "--timeout", HELM)
        self.cluster.helm("install", RELEASE, packed, "--namespace", RELEASE_NAMESPACE, "--wait", "--timeout", HELM,
                          "--set", "image.repository=ballast")
        self.assertTrue(answers(self.api))

    def test_the_commands_of_the_notes_run(self):
        team = self.cluster.namespace("default")
        team.apply(deployment("web"))
        notes = self.cluster.helm("get", "notes", RELEASE, "--namespace", RELEASE_NAMESPACE)
        check, apply, look = commands(notes)
        self.assertRegex(self.run_(check), r"TEST SUITE: +ballast-check\n(.*\n)+Phase: +Succeeded")
        self.run_(apply)
        self.addCleanup(self.api.delete, team.path(policy("web")))
        self.wait_for_replicas(team, deployment("web"), 2)
        table, why = self.run_(look).strip().rsplit("\n", 1)
        self.assertRegex(table, r"^NAME .*\nweb +Deployment ")
        pod, words = why.split(" -- ")
        self.assertEqual(words, "ballast why default/web")
        self.assertIn("default/web", self.agent.execute(pod, RELEASE, *words.split()))

    def run_(self, command):
        """What a command prints that must succeed."""
        folder = self.cluster.folder / "programs"
        folder.mkdir(exist_ok=True)
        (folder / "kubectl").write_text(KUBECTL % (self.cluster.dir / "bin/kubectl"))
        (folder / "kubectl").chmod(0o755)
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False,
                              env=self.cluster.environment | {
                                  "PATH": f"{folder}:{self.cluster.dir / 'bin'}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, command + done.stdout + done.stderr)
        return done.stdout


if __name__ == "__main__":
    enter_network()
    unittest.main()
