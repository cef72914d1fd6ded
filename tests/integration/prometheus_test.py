#!/usr/bin/env python3
"""Tests metrics of type Prometheus with a real Prometheus on a real control plane: a query scales by
its exact value, what is no answer changes nothing and says why, and only sources of the installation
are asked."""

import json
import sys
import unittest

from support.api import ApiError
from support.case import ClusterCase
from support.cluster import SKIPPED, Skipped
from support.objects import deployment, policy
from support.pages import documented, families, get
from support.prometheus import Exporter, Prometheus, program
from support.waiting import wait_until
from support.webhook import FLAGS, answers

QUERY = 'sum(queue{namespace="$namespace",app="$target"})'
# Queries without a usable answer, and what is said of it, in Prometheus' own words where it refuses.
UNUSABLE = {
    'queue{namespace="$namespace"}': "the query has 2 results",
    'queue{namespace="nowhere"}': "the query has no result",
    "scalar(queue)": "the query's value is NaN",
    "sum(queue) / 0": "the query's value is infinite (+Inf)",
    "queue[1m]": "the query's result is a matrix",
    "sum(queue": "HTTP 400: invalid parameter",
    "queue / ignoring(shard) queue": "HTTP 422: found duplicate series",
}


def query_policy(query=QUERY, source="main"):
    return policy("web", metrics=[{"type": "Prometheus", "prometheus": {
        "source": source, "query": query,
        "target": {"type": "AverageValue", "averageValue": "10"}}}])


class PrometheusTest(ClusterCase):
    VALUES = ('webhook.url="https://127.0.0.1:1"',)

    def setUp(self):
        self.shards = (20, 15)
        self.exporter = Exporter(self.samples)
        self.addCleanup(self.exporter.close)
        self.prometheus = Prometheus(self.cluster.folder / "prometheus", self.exporter.address)
        self.addCleanup(self.prometheus.close)
        wait_until("a scrape", lambda: self.prometheus.ask("query", query="queue")["result"])
        sources = self.store("sources.yaml")
        sources.write_text(json.dumps({"sources": [{
            "name": "main", "url": f"http://{self.prometheus.address}", "namespaces": ["shop"]}]}))
        operator = self.operator("--metric-sources", str(sources), "--serve-address", "127.0.0.1:0",
                                 "--webhook-address", "127.0.0.1:0", *FLAGS).wait_ready()
        self.page = operator.lines("serving health and metrics")[0]["address"]
        address = operator.wait_for("the webhook listens")["address"]
        self.cluster.install_chart(f'webhook.url="https://{address}"')
        wait_until("the API server to believe the webhook", lambda: answers(self.api))

    def samples(self):
        """How much waits for shop/web in each shard; 90 wait for bank/web."""
        return 'queue{namespace="bank",app="web"} 90\n' + "".join(
            f'queue{{namespace="shop",app="web",shard="{number}"}} {length}\n'
            for number, length in enumerate(self.shards))

    def test_a_query_scales_a_target(self):
        shop, web = self.cluster.namespace("shop"), deployment("web")
        shop.apply(web, query_policy())
        self.wait_for_replicas(shop, web, 4)
        self.wait_for_writes("shop", (1, 4))
        # For each of the pods that the Deployment's status had: the one before, or the four after the
        # write. Which of them the first status tells is open, and a value alone is not written again.
        wait_until(lambda: f"the value for a pod: {shop.policy('web')}", lambda: shop.policy("web").get(
            "status", {}).get("currentMetrics") in [[{"type": "Prometheus", "prometheus": {
                "source": "main", "current": {"averageValue": value}}}] for value in ("35", "8750m")])
        self.refuses_other_sources(shop)

        for query, message in UNUSABLE.items():
            with self.subTest(query):
                shop.apply(query_policy(query))
                self.wait_for_condition(shop, "web", "ScalingActive", status="False",
                                        reason="FailedGetPrometheusMetric", message=message)
                self.assertEqual(shop.replicas(web), 4)
        shop.apply(query_policy())
        self.shards = (11,)
        self.wait_for_replicas(shop, web, 2)
        self.exporter.close()  # with which Prometheus takes its series for stale
        self.wait_for_condition(shop, "web", "ScalingActive", status="False",
                                message="the query has no result")
        self.assertEqual(shop.replicas(web), 2)

        page = get(self.page, "/metrics")[1]
        self.assertIn('ballast_metric_source_up{source="main"} 1', page)
        self.assertEqual({name: family for name, family in families(page).items()
                          if name.startswith("ballast_metric_source_")},
                         documented("docs/prometheus.md"))
        self.prometheus.close()
        self.wait_for_condition(shop, "web", "ScalingActive", status="False", message="no answer")
        self.assertIn('ballast_metric_source_up{source="main"} 0', get(self.page, "/metrics")[1])
        self.assertEqual(shop.replicas(web), 2)

    def refuses_other_sources(self, shop):
        for space, source, choices in ((shop, "http://elsewhere", "there are main"),
                                       (self.cluster.namespace("bank"), "main", "there is none")):
            with self.assertRaises(ApiError) as refused:
                space.apply(query_policy(source=source))
            self.assertIn("spec.metrics[0].prometheus.source: is not a source for this namespace: "
                          f'"{source}"; {choices}', refused.exception.message)


if __name__ == "__main__":
    try:
        program("prometheus")
    except Skipped as why:
        print(why, file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
