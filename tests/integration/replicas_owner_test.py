#!/usr/bin/env python3
"""Tests who owns spec.replicas of a target while a policy scales it and after the policy is gone, and that the
command of docs/migrate.md gives the field back."""

import json
import unittest

from support.case import ClusterCase
from support.objects import deployment, policy

CONFLICT = 'conflict with "ballast" with subresource "scale" using apps/v1: .spec.replicas'


def with_replicas(web, count):
    return web | {"spec": web["spec"] | {"replicas": count}}


def without_replicas(web):
    return web | {"spec": {key: value for key, value in web["spec"].items() if key != "replicas"}}


class ReplicasOwnerTest(ClusterCase):
    def apply(self, space, object_, *flags):
        """Returns what kubectl says on standard error."""
        return self.cluster.kubectl("apply", "--server-side", *flags, "-f", "-", check=False,
                                    input_=json.dumps(space.place(object_))).stderr

    def scaled(self, name, web):
        """A namespace with the target, applied and then scaled to five by a policy."""
        space = self.cluster.namespace(name)
        self.assertEqual(self.apply(space, web), "")
        space.apply(policy("web", min_replicas=5))
        self.operator("--namespace", name).wait_ready()
        self.wait_for_replicas(space, web, 5)
        return space

    def test_a_field_that_a_manifest_had_is_given_back_by_force(self):
        web = deployment("web")
        space = self.scaled("owned", with_replicas(web, 3))
        self.assertIn(CONFLICT, self.apply(space, with_replicas(web, 3)), "the protection while a policy scales")
        self.assertEqual(self.apply(space, without_replicas(web)), "")
        self.assertEqual(space.replicas(web), 5)

        self.cluster.kubectl("-n", "owned", "delete", "autoscalepolicy", "web")
        self.assertIn(CONFLICT, self.apply(space, with_replicas(web, 3)), "the API server notes it on")
        self.assertEqual(self.apply(space, with_replicas(web, 3), "--force-conflicts"), "")
        self.assertEqual(space.replicas(web), 3)
        self.assertEqual(self.apply(space, with_replicas(web, 4)), "")
        self.assertEqual(space.replicas(web), 4)

    def test_a_field_that_no_manifest_had_is_nobodys(self):
        web = deployment("web")
        space = self.scaled("free", without_replicas(web))
        self.cluster.kubectl("-n", "free", "delete", "autoscalepolicy", "web")
        self.assertEqual(self.apply(space, with_replicas(web, 3)), "")
        self.assertEqual(space.replicas(web), 3)


if __name__ == "__main__":
    unittest.main()
