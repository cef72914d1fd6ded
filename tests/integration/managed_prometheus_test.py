#!/usr/bin/env python3
"""Tests sources of managed Prometheus, in the clouds' ways to prove who asks: each scales by its value, and nothing
that proves it is ever seen, not even where a source repeats it."""

import json
import unittest

from support import clouds
from support.case import ClusterCase
from support.objects import deployment, policy
from support.pages import get
from support.process import ballast
from support.waiting import wait_until

NAMESPACE = "clouds"
# With what must be escaped in a URL, and is signed.
QUERY = 'sum(rate(queue{namespace="$namespace", app=~"a b|c+d/é"}[2m])) or vector(0)'


class ManagedPrometheusTest(ClusterCase):
    VALUES = ("webhook.enabled=false",)

    def setUp(self):
        self.clouds = clouds.Clouds()
        self.addCleanup(self.clouds.close)
        tokens = {name: self.store(name) for name in ("aws-token", "pod-token", "azure-token")}
        tokens["aws-token"].write_text(clouds.AWS_TOKEN + "\n")
        tokens["pod-token"].write_text(clouds.POD_TOKEN)
        tokens["azure-token"].write_text(clouds.AZURE_TOKEN + "\n")
        url = self.clouds.url
        logins = {
            "amp": {"aws": {"region": clouds.REGION, "roleArn": clouds.ROLE, "stsUrl": f"{url}/sts",
                            "webIdentityTokenFile": str(tokens["aws-token"])}},
            "eks": {"aws": {"region": clouds.REGION, "podIdentity": {
                "credentialsUrl": f"{url}/agent/v1/credentials", "tokenFile": str(tokens["pod-token"])}}},
            "gmp": {"google": {"metadataUrl": f"{url}/metadata"}},
            "azure": {"azure": {"tenantId": clouds.TENANT, "clientId": clouds.CLIENT, "authorityUrl": f"{url}/login",
                                "workloadTokenFile": str(tokens["azure-token"])}}}
        self.sources = list(logins)
        sources = self.store("sources.yaml")
        sources.write_text(json.dumps({"sources": [
            {"name": name, "url": f"{url}/{name}", "namespaces": [NAMESPACE], **login}
            for name, login in logins.items()]}))
        self.process = self.operator("--metric-sources", str(sources), "--serve-address", "127.0.0.1:0",
                                     "--log-level", "debug").wait_ready()

    def said(self):
        """Everything that the operator shows."""
        page = self.process.lines("serving health and metrics")[0]["address"]
        ask = lambda *words: ballast(*words, "--store", self.store()).stdout
        yield "log", json.dumps(self.process.log)
        yield "policies", self.cluster.kubectl("get", "asp,events", "-n", NAMESPACE, "-o", "json")
        yield "export", ask("export")
        yield "history", ask("history", "-o", "json")
        for name in self.sources:
            yield f"why {name}", ask("why", f"{NAMESPACE}/{name}")
        for path in "/metrics", "/debug":
            yield path, get(page, path)[1]

    def test_each_scales_and_shows_no_credential(self):
        space = self.cluster.namespace(NAMESPACE)
        for name in self.sources:
            space.apply(deployment(name), policy(name, metrics=[{"type": "Prometheus", "prometheus": {
                "source": name, "query": QUERY, "target": {"type": "AverageValue", "averageValue": "10"}}}]))
        for name in self.sources:
            with self.subTest(name):
                self.wait_for_replicas(space, deployment(name), 4)
        self.assertEqual(self.clouds.refusals, [])

        self.clouds.broken = True
        for name in self.sources:
            self.wait_for_condition(space, name, "ScalingActive", status="False", message="(a credential)")
        wait_until("all to be on record", lambda: all("(a credential)" in ballast(
            "why", f"{NAMESPACE}/{name}", "--store", self.store()).stdout for name in self.sources))
        for where, text in self.said():
            with self.subTest(where):
                self.assertTrue(text)
                self.assertEqual([secret for secret in clouds.SECRETS if secret in text], [])
        self.clouds.broken = False
        for name in self.sources:
            self.wait_for_condition(space, name, "ScalingActive", status="True")


if __name__ == "__main__":
    unittest.main()
