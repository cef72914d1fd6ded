#!/usr/bin/env python3
"""Tests the backup and the restore on a cluster as the documents tell them, with the chart's pod where it
really runs."""

import re
import shlex
import subprocess
import unittest

from support.agent import enter_network
from support.api import path
from support.cluster import RELEASE, RELEASE_NAMESPACE, ROOT
from support.ledger import history
from support.objects import condition, deployment, policy
from support.pod_case import PodCase
from support.waiting import wait_until

POD = f"{RELEASE}-0"
CLAIM = path("v1", "persistentvolumeclaims", RELEASE_NAMESPACE, f"store-{POD}")
# kubectl, with an `exec` that the agent's nodes have no kubelet for.
KUBECTL = """#!/bin/sh
[ "$1" = exec ] || exec {kubectl} "$@"
case " $* " in *" -i "*) ;; *) exec < /dev/null ;; esac
while [ "$1" != -- ]; do shift; done
shift
exec env -i PATH=/usr/local/bin:/usr/bin {enter} "$@"
"""


def commands(file, heading):
    """The commands of that section of a document, for the release."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", (ROOT / "docs" / file).read_text(), re.M | re.S)[1]
    lines = re.findall(r"^    (kubectl .*)", section, re.M)
    return "\n".join(lines).replace(" -n ballast ", f" -n {RELEASE_NAMESPACE} ")


class RestoreTest(PodCase):
    LOADS = {("shop", "web"): 150, ("shop", "late"): 150}

    def pod(self):
        return self.api.get(path("v1", "pods", RELEASE_NAMESPACE, POD))

    def run_documented(self, text):
        folder = self.cluster.folder
        shim = folder / "kubectl"
        shim.write_text(KUBECTL.format(kubectl=self.cluster.dir / "bin/kubectl",
                                       enter=shlex.join(self.agent.entering(POD, RELEASE))))
        shim.chmod(0o755)
        done = subprocess.run(["bash", "-ec", text], cwd=folder, check=False, capture_output=True, text=True,
                              env=self.cluster.environment | {"PATH": f"{folder}:/usr/bin:/bin"})
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stderr}")
        return done.stdout + done.stderr

    def scale_out(self, shop, name):
        shop.apply(deployment(name), policy(name))
        self.wait_for_replicas(shop, deployment(name), 3)

    def written(self, name):
        """The scale events of a policy, as the operator's pod says."""
        said = self.agent.execute(POD, RELEASE, "ballast", "history", name, "--namespace=shop", "--changes-only",
                                  "--no-headers", "--utc")
        return [line.split() for line in said.splitlines() if " written " in line]  # columns have any width

    def test_as_documented(self):
        shop = self.cluster.namespace("shop")
        self.scale_out(shop, "web")
        kept, = wait_until("the decision", lambda: self.written("web"))
        self.run_documented(commands("install.md", "Backup"))
        self.scale_out(shop, "late")
        wait_until("the later decision", lambda: self.written("late"))

        before = self.pod()["metadata"]["uid"]
        said = self.run_documented(commands("commands.md", "restore"))
        self.assertRegex(said, r"the copy takes \d+ .B beside the store, where \d+ .B are free")
        def is_new():
            pod = self.pod()
            return pod and pod["metadata"]["uid"] != before and condition(pod, "Ready")["status"] == "True"
        wait_until("the next pod to be ready", is_new)

        log = self.cluster.kubectl("logs", POD, "-n", RELEASE_NAMESPACE)
        self.assertIn('"msg":"a copy of the store was restored"', log)
        self.assertEqual(self.written("web"), [kept])
        volume = self.agent.claim(self.api.get(CLAIM))
        names = {file.name for file in volume.iterdir()}
        former, = (name for name in names if ".replaced-" in name and not name.endswith(("-wal", "-shm")))
        self.assertFalse([name for name in names if ".ballast-" in name])
        self.assertEqual(len(history(volume / former, "shop", "late").written()), 1)
        # The operator goes on with it: what was scaled since the copy stays, and is not scaled again.
        wait_until("a decision about the later policy", lambda: "shop/late" in self.agent.execute(
            POD, RELEASE, "ballast", "history", "--no-headers"))
        self.assertEqual(self.written("late"), [])
        self.assertEqual(shop.replicas(deployment("late")), 3)


if __name__ == "__main__":
    enter_network()
    unittest.main()
