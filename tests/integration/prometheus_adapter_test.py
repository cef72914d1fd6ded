#!/usr/bin/env python3
"""Tests metrics of the types Pods, Object and External with the real prometheus-adapter over a real
Prometheus, through the API server's aggregation."""

import json
import socket
import subprocess
import sys
import unittest

from support.adapter import register
from support.case import ClusterCase
from support.cluster import SKIPPED, Skipped
from support.ledger import seconds
from support.objects import deployment, namespaced, policy
from support.process import ballast
from support.prometheus import Exporter, Prometheus, program
from support.waiting import wait_until

SERVED = {"custom.metrics.k8s.io": "v1beta2", "external.metrics.k8s.io": "v1beta1"}


def rule(series, *resources):
    """Values of the series by these resources, which are labels."""
    return {"seriesQuery": series + '{namespace!=""}',
            "resources": {"overrides": {name: {"resource": name} for name in ("namespace", *resources)}},
            "metricsQuery": "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)"}


RULES = {"rules": [rule("requests", "pod"), rule("hits", "service")],
         "externalRules": [rule("queue")]}
TARGET = {"type": "AverageValue", "averageValue": "10"}


def metric(name):
    """Its series with a label that others of that name do not have."""
    return {"name": name, "selector": {"matchLabels": {"lane": "fast"}}}


METRICS = {
    "pods": {"type": "Pods", "pods": {"metric": metric("requests"), "target": TARGET}},
    "object": {"type": "Object", "object": {
        "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "front"},
        "metric": metric("hits"), "target": TARGET}},
    "external": {"type": "External", "external": {"metric": metric("queue"), "target": TARGET}},
}


def free_port():
    """The adapter does not choose a port itself."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class PrometheusAdapterTest(ClusterCase):
    OPTIONS = ("--prometheus-adapter",)

    def setUp(self):
        self.total = 35
        self.shop = self.cluster.namespace("shop")
        exporter = Exporter(self.samples)
        self.addCleanup(exporter.close)
        self.prometheus = Prometheus(self.cluster.folder / "prometheus", exporter.address)
        self.addCleanup(self.prometheus.close)
        self.start_adapter()

    def samples(self):
        """Each of the three loads is `total`; the pods share theirs."""
        pods = [pod["metadata"]["name"] for pod in self.shop.pods("pods")]
        return "".join(
            f'{series},lane="{lane}"}} {value}\n'
            for lane, total in (("fast", self.total), ("slow", 900))
            for series, value in (
                *((f'requests{{namespace="shop",pod="{name}"', total / len(pods)) for name in pods),
                ('hits{namespace="shop",service="front"', total),
                ('queue{namespace="shop"', total),
                ('queue{namespace="bank"', 900)))

    def start_adapter(self):
        cluster, port = self.cluster, free_port()
        kubeconfig = cluster.dir / "kubeconfig"
        config = self.store("rules.yaml")
        config.write_text(json.dumps(RULES))
        with self.store("adapter.log").open("w", encoding="utf-8") as log:
            adapter = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", cluster.dir / "bin/prometheus-adapter",
                 f"--prometheus-url=http://{self.prometheus.address}/", f"--config={config}",
                 "--metrics-relist-interval=2s", "--metrics-max-age=10s",
                 f"--lister-kubeconfig={kubeconfig}", f"--authentication-kubeconfig={kubeconfig}",
                 f"--authorization-kubeconfig={kubeconfig}", "--bind-address=127.0.0.1",
                 f"--secure-port={port}", f"--tls-cert-file={cluster.dir / 'pki/server.crt'}",
                 f"--tls-private-key-file={cluster.dir / 'pki/server.key'}"], stdout=log, stderr=log)
        self.addCleanup(adapter.wait)
        self.addCleanup(adapter.kill)
        register(self.api, port, SERVED)

    def reading(self, name):
        """What the last evaluation on record compared with its target, in thousandths (None: nothing),
        and how many seconds old the sample was."""
        done = ballast("why", f"shop/{name}", "--store", self.store(), "-o", "json")
        evaluation = json.loads(done.stdout)["evaluation"]
        reading, = evaluation["readings"]
        return reading.get("milli"), seconds(evaluation["time"]) - seconds(
            reading.get("sampled", evaluation["time"]))

    def test_each_type_of_metric_scales_by_its_exact_value(self):
        targets = {name: deployment(name) for name in METRICS}
        self.shop.apply(namespaced("v1", "Service", "front", spec={"ports": [{"port": 80}]}))
        self.operator().wait_ready()
        for name, metric in METRICS.items():
            self.shop.apply(targets[name], policy(name, metrics=[metric]))
        for total, count, average in ((35, 4, 8750), (13, 2, 6500)):
            self.total = total
            for name, target in targets.items():
                with self.subTest(name=name, total=total):
                    self.wait_for_replicas(self.shop, target, count)
                    wait_until(lambda name=name: f"{average}: {self.reading(name)}",
                               lambda name=name, average=average: self.reading(name)[0] == average)
                    self.assertLess(self.reading(name)[1], 30)
        self.prometheus.close()
        for name, reason in (("pods", "FailedGetPodsMetric"), ("object", "FailedGetObjectMetric"),
                             ("external", "FailedGetExternalMetric")):
            with self.subTest(name=name):
                self.wait_for_condition(self.shop, name, "ScalingActive", status="False",
                                        reason=reason)
                self.assertEqual(self.shop.replicas(targets[name]), 2)


if __name__ == "__main__":
    try:
        program("prometheus")
    except Skipped as why:
        print(why, file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
