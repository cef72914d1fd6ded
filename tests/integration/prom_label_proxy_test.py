#!/usr/bin/env python3
"""Tests that prom-label-proxy in front of a real Prometheus bounds what a namespace's policies can
read, as docs/prometheus.md says: whatever their queries name."""

import json
import re
import subprocess
import sys
import unittest

from support.case import ClusterCase
from support.cluster import SKIPPED, Skipped
from support.objects import deployment, policy
from support.prometheus import Exporter, Prometheus, program
from support.waiting import wait_until

# How much waits in each namespace.
QUEUES = {"shop": 35, "bank": 90}
# Queries of shop for what is not its own.
FOREIGN = ('sum(queue{namespace="bank"})', 'sum(queue{namespace=~"bank|shop"})',
           'sum(queue{namespace!="shop"})', 'sum({__name__="queue", namespace="bank"} or queue)',
           'sum(max_over_time(queue{namespace="bank"}[1m:1s]))')


class PromLabelProxyTest(ClusterCase):
    OPTIONS = ("--prom-label-proxy",)

    def setUp(self):
        exporter = Exporter(lambda: "".join(
            f'queue{{namespace="{space}"}} {length}\n' for space, length in QUEUES.items()))
        self.addCleanup(exporter.close)
        self.prometheus = Prometheus(self.cluster.folder / "prometheus", exporter.address)
        self.addCleanup(self.prometheus.close)
        wait_until("a scrape", lambda: self.prometheus.ask("query", query="queue")["result"])

    def start_proxy(self):
        """Returns its address."""
        path = self.store("proxy.log")
        with path.open("w", encoding="utf-8") as log:
            proxy = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", self.cluster.dir / "bin/prom-label-proxy",
                 "-insecure-listen-address=127.0.0.1:0", "-label=namespace",
                 f"-upstream=http://{self.prometheus.address}"], stdout=log, stderr=log)
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.kill)
        return wait_until(lambda: f"the proxy: {path.read_text()}", lambda: re.search(
            r"Listening insecurely on (\S+)", path.read_text()))[1]

    def apply(self, space, name, source, query):
        space.apply(deployment(name), policy(name, max_replicas=20, metrics=[{
            "type": "Prometheus", "prometheus": {
                "source": source, "query": query,
                "target": {"type": "AverageValue", "averageValue": "10"}}}]))

    def test_a_namespace_reads_its_own_series_alone(self):
        sources = self.store("sources.yaml")
        sources.write_text(json.dumps({"sources": [
            {"name": "bounded", "url": f"http://{self.start_proxy()}", "namespaces": ["*"],
             "parameters": [{"name": "namespace", "value": "$namespace"}]},
            {"name": "open", "url": f"http://{self.prometheus.address}", "namespaces": ["*"]}]}))
        shop, bank = map(self.cluster.namespace, QUEUES)
        for number, query in enumerate(FOREIGN):
            self.apply(shop, f"foreign-{number}", "bounded", query)
        self.apply(shop, "own", "bounded", "sum(queue)")
        self.apply(bank, "own", "bounded", "sum(queue)")
        self.apply(shop, "open", "open", "sum(queue)")
        self.operator("--metric-sources", str(sources)).wait_ready()
        self.wait_for_replicas(bank, deployment("own"), 9)
        self.wait_for_replicas(shop, deployment("own"), 4)
        self.wait_for_replicas(shop, deployment("open"), 13)
        for number, query in enumerate(FOREIGN):
            with self.subTest(query):
                self.wait_for_replicas(shop, deployment(f"foreign-{number}"), 4)
        self.assertEqual({write.to for write in self.cluster.scale_writes("shop")
                          if write.target != "open"}, {4})


if __name__ == "__main__":
    try:
        program("prometheus")
    except Skipped as why:
        print(why, file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
