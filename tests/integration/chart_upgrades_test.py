#!/usr/bin/env python3
"""Tests upgrades of releases of earlier charts on a real API server, `helm rollback`, and upgrades again:
the server takes every step, and what is not the chart's stays.

`charts/` has the charts of releases in their order, each with its commit: git archive --prefix=ballast/
COMMIT:charts/ballast. Until there is a release, the one chart is of an earlier commit. Never changed:
releases of them exist."""

import unittest

from support.api import path
from support.case import ClusterCase
from support.cluster import CHART, RELEASE, RELEASE_NAMESPACE, ROOT, set_json
from support.objects import namespaced, policy

EARLIER = sorted((ROOT / "tests/integration/charts").glob("*.tgz"))
WEBHOOK = 'webhook.url="https://127.0.0.1:1"'
SET = path("apps/v1", "statefulsets", RELEASE_NAMESPACE, RELEASE)


class ChartUpgradesTest(ClusterCase):
    VALUES = None

    def release(self, chart, *values):
        self.cluster.helm("upgrade", "--install", RELEASE, chart, "--namespace", RELEASE_NAMESPACE,
                          "--create-namespace", "--reset-values", *set_json(("replicas=0", *values)))

    def helm(self, *words):
        return self.cluster.helm(*words, "--namespace", RELEASE_NAMESPACE)

    def test_forth_and_back_and_forth(self):
        self.assertTrue(EARLIER)
        for chart in EARLIER:
            with self.subTest(chart.name):
                self.go(chart)

    def go(self, chart):
        # Without a webhook at first, so that it does not refuse the policy.
        self.release(chart)
        shop = self.cluster.namespace("shop")
        own = self.cluster.namespace(RELEASE_NAMESPACE)
        lease = namespaced("coordination.k8s.io/v1", "Lease", RELEASE, spec={"holderIdentity": "ballast-0"})
        shop.apply(policy("web"))
        own.apply(lease)
        kept = lambda: [each["spec"] | {"uid": each["metadata"]["uid"]}
                        for each in (shop.policy("web"), own.get(lease))] + [
                            self.api.get(SET)["metadata"]["uid"]]
        before = kept()
        steps = (("the webhook", lambda: self.release(chart, WEBHOOK)),
                 ("forth", lambda: self.release(CHART, WEBHOOK)),
                 ("back", lambda: self.helm("rollback", RELEASE, "2")),
                 ("forth again", lambda: self.release(CHART, WEBHOOK)))
        for name, step in steps:
            with self.subTest(name):
                step()
                self.assertIn("STATUS: deployed", self.helm("status", RELEASE))
                self.assertEqual(kept(), before)
        self.helm("uninstall", RELEASE)


if __name__ == "__main__":
    unittest.main()
