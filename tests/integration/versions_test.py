#!/usr/bin/env python3
"""Tests two versions of the program side by side: a release is upgraded from the earlier one and rolled
back, and each version goes on from the memory that the other one left in the cluster."""

import json
import unittest

from support.agent import enter_network, make_image
from support.api import path
from support.case import ClusterCase
from support.cluster import RELEASE, RELEASE_NAMESPACE
from support.hpa_memory import hpa_memories
from support.objects import deployment, hpa, is_managed
from support.process import BALLAST
from support.rolling_case import RollingCase
from support.versions import Version
from support.waiting import CLAIM, wait_until
from support.waiting_scalings import IN, MOST, OUT, PERIOD, WaitingScalings, slowly_up

# Until there is a release, one whose ledger the present program refuses.
EARLIER = Version("55a9ccc24b991e7435634787bb383225c79413aa")
TAG = "earlier"
LEASE = path("coordination.k8s.io/v1", "leases", RELEASE_NAMESPACE, RELEASE)


class RollTest(RollingCase):
    """From the earlier version's chart and image to the present ones, and back."""

    ROLLS = ("forth", "back", "again")

    @classmethod
    def images(cls, folder):
        return [*super().images(folder), make_image(folder, EARLIER.program, TAG)]

    def release(self):
        self.install(*self.RELEASED, f'image.tag="{TAG}"', chart=EARLIER.chart)

    def history(self, pod, roll):
        """The scalings of the roll's policies that the pod's ledger has."""
        said = self.agent.execute(pod, RELEASE, "ballast", "history", "-n", roll, "--changes-only",
                                  "--no-headers")
        return {" ".join(line.split()) for line in said.splitlines() if " written " in line}

    def leader(self):
        return self.api.get(LEASE)["spec"]["holderIdentity"].split("_")[0]

    def test_upgrade_and_rollback(self):
        earlier = self.revision()
        pod = self.leader()
        before = set()

        def upgrade():
            before.update(self.history(pod, "forth"))
            self.install(*self.RELEASED)

        self.roll("forth", upgrade)
        self.assertTrue(before)
        self.wait_for_condition(self.cluster.namespace("forth"), "forth-in", "HistoryDegraded", status="True",
                                message="before the first release")
        self.roll("back", lambda: self.roll_back(earlier))
        self.assertLessEqual(before, self.history(pod, "forth"))
        self.roll("again", lambda: self.install(*self.RELEASED))


class MirrorTest(ClusterCase):
    """The leader is killed; a replica of the other version, with an empty store, goes on: with policies
    from their status, with an HPA from its memory in the namespace."""

    TURNS = {"after": (EARLIER.program, BALLAST), "before": (BALLAST, EARLIER.program)}
    VALUES = ('operator.hpaTakeoverNamespaces=["*"]',)
    LOADS = {(turn, f"{turn}-{app}"): load for turn in TURNS
             for app, load in (("in", IN), ("out", OUT), ("hpa", OUT))}
    # Nobody evaluates until the Lease is over, so these are longer.
    WINDOW, RATE = 45, 40

    def tearDown(self):
        # The next test starts with a lease that nobody holds.
        self.doCleanups()
        self.api.request("DELETE", LEASE)

    def replica(self, identity, program, turn):
        return self.operator("--leader-elect", "--leader-elect-resource-namespace", RELEASE_NAMESPACE,
                             "--leader-elect-identity", identity, "--hpa-takeover-namespace", turn,
                             "--horizontal-pod-autoscaler-sync-period", f"{PERIOD}s",
                             store=self.store(f"{identity}.db"), program=program)

    def succeed(self, turn):
        first, second = self.TURNS[turn]
        leader = self.replica("leader", first, turn).wait_ready()
        standby = self.replica("standby", second, turn)
        space = self.cluster.namespace(turn)
        native = self.managed_hpa(space, f"{turn}-hpa")
        scalings = WaitingScalings(self, space, f"{turn}-in", [f"{turn}-out"], window=self.WINDOW,
                                   rate=self.RATE)
        scalings.begin()
        self.load.set(native, 50 * MOST - 10)
        look = lambda: scalings.note(native, self.memory(space, native))
        wait_until("the HPA's memory", look)
        leader.kill()
        leader.wait()
        standby.wait_ready()
        waited = scalings.finish()
        wait_until("the HPA to go on", lambda: look() and len(scalings.writes(native)) > 1)
        scalings.check_rate(native)
        self.assertTrue(standby.lines("an HPA that Ballast managed is managed on"))
        print(f"{turn}: scaled in {waited:.1f} s after all replicas were last needed; the window is "
              f"{self.WINDOW} s", flush=True)

    def managed_hpa(self, space, name):
        """Makes an HPA that adds one replica in each RATE seconds; returns its name once it is managed."""
        native = hpa(name, deployment(name), max_replicas=MOST, behavior=slowly_up(self.RATE))
        native["metadata"]["annotations"] = {"ballast.dev/hpa-mode": "manage"}
        space.apply(deployment(name), native)
        wait_until(f"{name} to be managed", lambda: is_managed(space.get(native)), timeout=CLAIM)
        return name

    def memory(self, space, name):
        return json.loads(hpa_memories(self.api, space.name).get(name, "{}"))

    def test_the_present_version_follows(self):
        self.succeed("after")

    def test_the_earlier_version_follows(self):
        self.succeed("before")


if __name__ == "__main__":
    enter_network()
    unittest.main()
