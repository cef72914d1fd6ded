#!/usr/bin/env python3
"""Tests metrics with unusual names, through the API server to an adapter and back."""

import json
import unittest
from urllib.parse import quote, unquote

from support.adapter import Adapter
from support.api import ApiError
from support.case import ClusterCase
from support.objects import policy, workload
from support.process import ballast
from support.waiting import wait_until

# Names that reach the adapter as they were sent.
NAMES = [
    "http_requests",
    "pubsub.googleapis.com|subscription|num_undelivered_messages",
    "queue depth",
    " padded ",
    "a#fragment",
    "a?labelSelector=b",
    "a&b=c",
    "a;b",
    "{curly}[square]",
    "größe",
    "日本",
    "...",
    "pods:status",
    "a+b:c@d,e,f'g\"h\\i^j`k~l!m$n(o)p*q<r>s",
]

# Names that no policy may have, and what an adapter would be asked for. The API server takes an
# escaped slash for a separator of segments. It passes the others on as they are; adapters normalize
# "." and ".." away, and an empty name means the list of all.
REFUSED = {
    "a/b": "a/b",
    "a%b": "a%25b",
    "a%2fb": "a%252fb",
    ".": ".",
    "..": "..",
    "": "",
}

WEB = workload("StatefulSet", "web")
EXTERNAL = "/apis/external.metrics.k8s.io/v1beta1/namespaces/names/"


def sources(name):
    """The four ways to ask for a metric, by its place in the adapter."""
    metric, average = {"name": name}, {"type": "AverageValue", "averageValue": "1M"}
    return {
        f"pods/*/{name}": {"type": "Pods", "pods": {"metric": metric, "target": average}},
        f"statefulsets.apps/web/{name}": {"type": "Object", "object": {
            "metric": metric, "target": {"type": "Value", "value": "1M"},
            "describedObject": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web"}}},
        f"metrics/{name}": {"type": "Object", "object": {
            "metric": metric, "target": {"type": "Value", "value": "1M"},
            "describedObject": {"apiVersion": "v1", "kind": "Namespace", "name": "names"}}},
        name: {"type": "External", "external": {"metric": metric, "target": average}},
    }


# What `ballast why` calls them.
KINDS = "Pods/", "Object/StatefulSet/web/", "Object/Namespace/names/", "External/"


def current(metric):
    """The value of a metric in a status."""
    found = metric.get(metric["type"].lower(), {}).get("current", {})
    return found.get("value") or found.get("averageValue")


def seen(object_):
    """The values in a policy's status."""
    return [current(metric) for metric in object_.get("status", {}).get("currentMetrics", [])]


class MetricNamesTest(ClusterCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        places = [place for name in NAMES for place in sources(name)]
        cls.values = {place: str(1001 + index) for index, place in enumerate(places)}
        cls.adapter = Adapter(cls.cluster, cls.values)
        cls.addClassCleanup(cls.adapter.close)

    def readings(self, index):
        """Each metric's value in the last evaluation, from `ballast why`."""
        done = ballast("why", f"names/p{index}", "--store", self.store(), "-o", "json")
        evaluation = done.stdout and json.loads(done.stdout).get("evaluation")
        return evaluation and {reading["metric"]: str(reading["milli"] // 1000)
                               for reading in evaluation["readings"] if "milli" in reading}

    def test_each_arrives_as_it_was_sent_and_its_value_comes_back(self):
        names = self.cluster.namespace("names")
        names.apply(WEB, *(policy(f"p{index}", WEB, mode="DryRun",
                                  metrics=list(sources(name).values()))
                           for index, name in enumerate(NAMES)))
        self.operator().wait_ready()
        for index, name in enumerate(NAMES):
            with self.subTest(name=name):
                expected = [self.values[place] for place in sources(name)]
                wait_until(lambda: f"values {expected}: {names.policy(f'p{index}').get('status')}",
                           lambda: seen(names.policy(f"p{index}")) == expected)
                told = {kind + name: value for kind, value in zip(KINDS, expected)}
                wait_until(lambda: f"why {told}: {self.readings(index)}",
                           lambda: self.readings(index) == told)
        asked = {path.split("/namespaces/names/", 1)[1] for path in list(self.adapter.paths)}
        self.assertEqual({unquote(path) for path in asked}, set(self.values))
        for path in asked:  # each name is one segment, whatever it contains
            self.assertEqual(path.count("/"), unquote(path).count("/"))

    def test_what_is_no_segment_is_refused(self):
        names = self.cluster.namespace("refused")
        for name in REFUSED:
            for metric in sources(name).values():
                with self.subTest(metric=metric), self.assertRaises(ApiError) as refused:
                    names.apply(policy("refused", WEB, metrics=[metric]))
                self.assertEqual(refused.exception.status, 422)
                self.assertIn("metric.name", refused.exception.message)

    def test_what_the_api_server_makes_of_those(self):
        for name, arrives in REFUSED.items():
            with self.subTest(name=name):
                self.adapter.paths.clear()
                self.api.get(EXTERNAL + quote(name, safe=""))
                self.assertEqual(self.adapter.paths, [EXTERNAL + arrives])


if __name__ == "__main__":
    unittest.main()
