#!/usr/bin/env python3
"""Gives the program what others reported of autoscalers, and compares its answers with the right ones.

decisions.json has moments: a target, its pods and a metric, from which a snapshot is made for a policy (which count is
right) and for an HPA (which count is upstream's). manifests.json says what becomes of the files in manifests/.
"""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BALLAST = os.environ.get("BALLAST_BINARY", HERE.parents[1] / "build/ballast")
NOW, READY, LONG_AGO = "2026-11-25T10:00:00Z", "2026-11-25T07:00:20Z", "2026-11-25T09:00:00Z"
SAMPLED = "2026-11-25T09:59:50Z"
KINDS = {"policy": ("ballast.dev/v1alpha1", "AutoScalePolicy"), "hpa": ("autoscaling/v2", "HorizontalPodAutoscaler")}
FAST = {"stabilizationWindowSeconds": 0, "selectPolicy": "Max",
        "policies": [{"type": "Pods", "value": 20, "periodSeconds": 15},
                     {"type": "Percent", "value": 400, "periodSeconds": 15}]}


def run(*arguments, stdin=None):
    return subprocess.run([BALLAST, *arguments], input=stdin, capture_output=True, text=True, timeout=60)


def resource_of(moment):
    return "memory" if "memory" in moment else "cpu"


def pod(moment, group, name):
    status = {"phase": group.get("phase", "Running"), "startTime": LONG_AGO,
              "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": READY}]}
    if status["phase"] != "Running":
        status["conditions"][0] |= {"status": "False", "reason": "PodCompleted"}
    if "resize" in group:
        status["conditions"].append({"type": "PodResizePending", "status": "True", "reason": group["resize"]})
    if "has" in group:
        has = {"allocatedResources": group["has"], "resources": {"requests": group["has"]}}
        status |= has if "podLevel" in group else {"containerStatuses": [{"name": "app"} | has]}
    container = {"name": "app"}
    spec = {"containers": [container]}
    metadata = {"name": name, "namespace": "shop", "labels": {"app": "web", "deploymentconfig": "web"}}
    if "generations" in group:
        metadata["generation"], status["observedGeneration"] = group["generations"]
    if group.get("deleted"):
        metadata["deletionTimestamp"] = SAMPLED
    if "podLevel" in group:
        spec["resources"] = {"requests": group["podLevel"]}
    if "overhead" in group:
        spec["overhead"] = group["overhead"]
    if "podLevel" not in group or "requests" in group:
        container["resources"] = {"requests": group.get("requests", {"cpu": "1"})}
    return {"metadata": metadata, "spec": spec, "status": status}


def metric_and_answer(moment, named):
    """The metric of the spec, and what its API answers."""
    average = {"type": "AverageValue", "averageValue": "10"}
    for kind, metric in {"queue": {"type": "External", "external": {"metric": {"name": "queue"}, "target": average}},
                         "prometheus": {"type": "Prometheus", "prometheus": {
                             "source": "main", "query": "sum(queue)", "target": average}}}.items():
        if kind in moment and moment[kind] is None:
            return metric, {"error": "the server is currently unable to handle the request"}
        if kind in moment:
            return metric, {"values": {"items": [{"metricName": "queue", "timestamp": SAMPLED,
                                                  "value": moment[kind]}]}}
    resource = resource_of(moment)
    target = {"type": "Utilization", "averageUtilization": moment["cpu"]} if resource == "cpu" else {
        "type": "AverageValue", "averageValue": moment["memory"]}
    items = [{"metadata": {"name": name, "namespace": "shop"}, "timestamp": SAMPLED, "window": "15s",
              "containers": [{"name": "app", "usage": {resource: group["uses"]}}]}
             for name, group in named.items() if "uses" in group]
    return ({"type": "Resource", "resource": {"name": resource, "target": target}}, {"podMetrics": {"items": items}})


def snapshot(moment, kind):
    named = {f"web-{i}-{j}": group for i, group in enumerate(moment.get("pods", [])) for j in range(group["count"])}
    metric, answer = metric_and_answer(moment, named)
    api_version, kind_name = KINDS[kind]
    spec = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": moment.get("min", 1), "maxReplicas": 30, "metrics": [metric],
            "behavior": {"scaleUp": {"stabilizationWindowSeconds": 0} | moment.get("up", FAST),
                         "scaleDown": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max",
                                       "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}}}
    if kind == "policy":
        spec |= {"mode": "Active"} | {key: moment[key] for key in ("podSelection", "fallback") if key in moment}
    zero = {"own": "True", "others": "False"}.get(moment.get("zero"))
    status = {"conditions": [{"type": "ScaledToZero", "status": zero, "reason": "ScaledToZero"}]} if zero else {}
    scale_of = moment.get("scaleOf", {"apiVersion": "autoscaling/v1", "selector": "app=web"})
    memory = {"recommendations": [{"time": LONG_AGO, "replicas": moment["replicas"]}], "scaleUps": [],
              "scaleDowns": []} | ({"noValueSince": LONG_AGO} if "fallback" in moment else {})
    return {
        "id": f"{moment['name']} ({kind})", "now": NOW, "settings": {}, "memory": memory,
        "autoscaler": {"apiVersion": api_version, "kind": kind_name, "spec": spec, "status": status,
                       "metadata": {"name": "web", "namespace": "shop", "uid": "1", "generation": 1}},
        "scale": {"object": {
            "apiVersion": scale_of["apiVersion"], "kind": "Scale", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"replicas": moment["replicas"]},
            "status": {"replicas": moment.get("present", moment["replicas"])} | {
                key: scale_of[key] for key in ("selector", "targetSelector") if key in scale_of}}},
        "pods": [pod(moment, group, name) for name, group in named.items()], "metrics": [answer]}


def subset(wanted, got):
    """Whether `got` has all that `wanted` says; lists element by element."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(key in got and subset(value, got[key]) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) >= len(wanted) and all(map(subset, wanted, got))
    return wanted == got


class ReportsTest(unittest.TestCase):
    def test_decisions(self):
        cases = [(moment, kind) for moment in json.loads((HERE / "decisions.json").read_text())
                 for kind in KINDS if kind in moment]
        done = run("decide", stdin="".join(json.dumps(snapshot(*case)) + "\n" for case in cases))
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(cases), done.stderr)
        for (moment, kind), answer in zip(cases, answers):
            with self.subTest(moment["name"], kind=kind):
                self.assertEqual(answer.get("desiredReplicas"), moment[kind], answer.get("error"))
                told = json.dumps([answer["trace"], answer["conditions"]])
                if kind == "policy":
                    self.assertRegex(told, moment.get("says", "."))
                if "keepsQuiet" in moment:
                    self.assertNotRegex(told, moment["keepsQuiet"])

    def test_manifests(self):
        for case in json.loads((HERE / "manifests.json").read_text()):
            with self.subTest(case["name"]):
                json_output = ["-o", "json"] if case["command"] == "convert" else []
                done = run(case["command"], "-f", str(HERE / "manifests" / case["file"]), *json_output)
                self.assertEqual(done.returncode, case["status"], done.stderr)
                self.assertRegex(done.stdout + done.stderr, re.escape(case["says"]) if "says" in case else "(?s).*")
                if "spec" in case:
                    got = json.loads(done.stdout)
                    self.assertTrue(subset(case["spec"], got["spec"]), got["spec"])


if __name__ == "__main__":
    unittest.main()
