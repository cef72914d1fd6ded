#!/usr/bin/env python3
"""Tests an adapter that answers some policies slowly, wrongly, in part or without an end, through the
API server's aggregation: these keep their counts and say why, the policies with true answers scale
meanwhile, and neither the operator's memory nor its writes grow, nor when it answers nobody."""

import json
import unittest

from support.adapter import Adapter, Lie
from support.case import ClusterCase
from support.objects import deployment, policy
from support.pages import api_requests, get, samples
from support.proxy import status
from support.waiting import wait_until

TARGET = {"type": "AverageValue", "averageValue": "10"}


def object_metric(name):
    return {"type": "Object", "object": {
        "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "front"},
        "metric": {"name": name}, "target": TARGET}}


def external_metric(name):
    return {"type": "External", "external": {"metric": {"name": name}, "target": TARGET}}


# By policy: where the adapter has its value, the value at which it keeps four replicas, the reason
# for which it says that there is none, and the metric.
FOOLED = {
    "pods": ("pods/*/load", 10, "FailedGetPodsMetric", {
        "type": "Pods", "pods": {"metric": {"name": "load"}, "target": TARGET}}),
    "object": ("services/front/hits", 40, "FailedGetObjectMetric", object_metric("hits")),
    "external": ("queue", 40, "FailedGetExternalMetric", external_metric("queue")),
}
# The neighbours, one for each API.
HONEST = {"visits": ("services/front/visits", object_metric("visits")),
          "backlog": ("backlog", external_metric("backlog"))}


def failure(code, reason, message):
    return Lie(status=code, body=json.dumps(status(code, reason, message)).encode())


# Each with what the conditions say of it. What the truth would be is in no answer before the last.
LIES = {
    "a page in HTML": (Lie(body=b"<html>Sign in</html>", content_type="text/html"), ""),
    "no body": (Lie(body=b""), ""),
    "another kind": (Lie(body=b'{"kind": "PodList", "items": "many"}'), "items"),
    "a quantity that is none": (Lie(value="a lot"), "items[0].value: quantities must match"),
    "nothing of that name": (failure(404, "NotFound", "it is not measured"), "it is not measured"),
    "enough": (failure(429, "TooManyRequests", "slow down"), "slow down"),
    "an ill server": (failure(500, "InternalError", "the disk is on fire"), "the disk is on fire"),
    "half a body": (Lie(cut=True), ""),
    "a hundred megabytes": (Lie(blanks=100), "larger than"),
    "an answer that comes too late": (Lie(delay=30), "no answer"),
    "half of the items": (Lie(half=True), "returned"),
}
# How much more the operator may need than with true answers: it has three of 100 MiB under way at
# once, and stops reading each after 4 MiB.
MEMORY = 128 * 2**20
EVALUATIONS = "horizontal_pod_autoscaler_controller_reconciliations_total"


class LyingAdapterTest(ClusterCase):
    def setUp(self):
        self.space = self.cluster.namespace("lied-to")
        self.values = {place: str(value) for place, value, _, _ in FOOLED.values()} | {
            place: "10" for place, _ in HONEST.values()}
        self.adapter = Adapter(self.cluster, self.values, lambda: [
            pod["metadata"]["name"] for pod in self.space.pods("pods")])
        self.addCleanup(self.adapter.close)
        for name, (*_, metric) in {**FOOLED, **HONEST}.items():
            self.space.apply(deployment(name, replicas=4), policy(name, metrics=[metric]))
        self.operator_ = self.operator("--serve-address", "127.0.0.1:0").wait_ready()
        self.page = self.operator_.lines("serving health and metrics")[0]["address"]

    def count_evaluations(self):
        return sum(count for _, count in samples(get(self.page, "/metrics")[1], EVALUATIONS))

    def count_status_writes(self):
        page = self.cluster.kubectl("get", "--raw", "/metrics")
        return sum(count for (_, what), count in api_requests(page).items()
                   if what == "autoscalepolicies/status")

    def check_that_it_is_quiet(self):
        """That a lie which goes on is not written into each status again and again."""
        written, evaluated = self.count_status_writes(), self.count_evaluations()
        wait_until("evaluations", lambda: self.count_evaluations() > evaluated + 12)
        self.assertLessEqual(self.count_status_writes() - written, 4)

    def tell(self, lie):
        self.adapter.lies = {place: lie for place, *_ in FOOLED.values()}

    def let_the_truth_be(self, factor):
        self.values.update({place: str(int(value * factor)) for place, value, _, _ in FOOLED.values()})

    def test_lies_are_not_believed(self):
        for name in FOOLED:
            self.wait_for_condition(self.space, name, "ScalingActive", status="True")
        for name in HONEST:
            self.wait_for_replicas(self.space, deployment(name), 1)
        resting = self.operator_.resident()
        for turn, (about, (lie, said)) in enumerate(LIES.items()):
            with self.subTest(about):
                if lie.half:
                    self.let_the_truth_be(2)
                self.tell(lie)
                if not lie.half:
                    self.let_the_truth_be(0.2)
                for name, (_, _, reason, _) in FOOLED.items():
                    # A pod without a value counts as idle before a scale-out, as upstream has it.
                    expected = {"status": "True"} if lie.half and name == "pods" else {
                        "status": "False", "reason": reason, "message": said}
                    self.wait_for_condition(self.space, name, "ScalingActive", **expected)
                count = 2 + turn % 2
                for name, (place, _) in HONEST.items():
                    self.values[place] = str(10 * count)
                    self.wait_for_replicas(self.space, deployment(name), count)
                self.check_that_it_is_quiet()
        self.assertLess(self.operator_.peak() - resting, MEMORY)
        self.assertEqual([write for write in self.cluster.scale_writes("lied-to")
                          if write.target in FOOLED], [])
        self.adapter.lies = {}
        for name in FOOLED:
            self.wait_for_replicas(self.space, deployment(name), 8)

        self.adapter.answering.clear()
        for name in ("pods", "visits"):
            self.wait_for_condition(
                self.space, name, "ScalingActive", status="False",
                message="not asked, because custom.metrics.k8s.io has not answered")
        self.check_that_it_is_quiet()


if __name__ == "__main__":
    unittest.main()
