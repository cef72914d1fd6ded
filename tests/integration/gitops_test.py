#!/usr/bin/env python3
"""Tests what docs/gitops.md has to copy: what Argo CD and Flux are to ignore, the health of policies in Lua, and
values for platforms; where the chart's pod really runs, in a namespace that enforces the Pod Security Standard
"restricted"."""

import json
import re
import subprocess
import textwrap
import unittest

from support import definitions
from support.agent import enter_network
from support.api import ApiError
from support.cluster import CHART, RELEASE, RELEASE_NAMESPACE, ROOT
from support.documents import blocks, section
from support.lua import health
from support.objects import condition, deployment, hpa, namespaced, policy
from support.pod_case import HELM, UNINSTALLED, PodCase
from support.process import BALLAST
from support.waiting import wait_until

PAGE = "docs/gitops.md"
USER = 65532  # whom the pod has been so far
QUEUE = {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "Value", "value": 1}}}


def written(object_):
    """The fields of the object that the operator wrote, as JSON pointers."""
    def walk(fields, value, pointer):
        inner = {name: below for name, below in fields.items() if name != "."}
        if not inner:
            yield pointer
        for name, below in inner.items():
            kind, key = name.split(":", 1)
            if kind == "k":  # the entry of a list, by its keys
                key = next(at for at, entry in enumerate(value) if json.loads(key).items() <= entry.items())
            yield from walk(below, value[key], f"{pointer}/{key}")
    for entry in object_["metadata"]["managedFields"]:
        if entry["manager"] == "ballast" and "subresource" not in entry:
            yield from walk(entry["fieldsV1"], object_, "")


def argo_rules():
    """What Argo CD is to ignore: (kind, a pattern of JSON pointers)."""
    block, = (block for block in blocks(section(PAGE, "Argo CD")) if "ignoreDifferences" in block)
    found = re.findall(r'kind: (\w+)(?:.|\n)*?(?:jsonPointers|jqPathExpressions): \["?([/.].*?)"?\]}?\n', block)
    return [(kind, where.replace("[]", ".[0-9]+").replace(".", "/") if where[0] == "." else where)
            for kind, where in found]


def flux_rules():
    found = re.findall(r"kind: (\w+), name: [\w-]+}\n\s+paths:((?:.|\n)*?)(?=- target|\Z)",
                       blocks(section(PAGE, "Flux"))[0])
    return [(kind, pointer) for kind, paths in found for pointer in re.findall(r"/[\w/]+", paths)]


def script():
    """The health check."""
    block, = (block for block in blocks(section(PAGE, "Argo CD")) if "health.ballast.dev" in block)
    return textwrap.dedent(block.split("|\n", 1)[1])


class GitopsTest(PodCase):
    DENIED = UNINSTALLED
    LOADS = {("shop", app): 50 for app in ("web", "both", "given", "queue")}
    RELEASED = ('operator.hpaTakeoverNamespaces=["shop"]',)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shop = cls.cluster.namespace("shop")
        definitions.define(cls.cluster)
        for command in blocks(section(PAGE, 'Pod Security Standard "restricted"'))[0].splitlines():
            cls.cluster.kubectl(*command.replace("namespace ballast", f"namespace {RELEASE_NAMESPACE}").split()[1:])

    def values(self, title):
        """The values of that section, as a file."""
        file = self.store("values.yaml")
        file.write_text(blocks(section(PAGE, title))[0])
        return file

    def render(self, values, *words):
        return self.cluster.helm("template", RELEASE, CHART, "--kube-version", "1.36.0", f"--values={values}", *words)

    def ballast(self, *words):
        """What a caller with all rights is told."""
        done = subprocess.run([BALLAST, *words], env=self.cluster.environment, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def release_objects(self):
        manifest = self.cluster.helm("get", "manifest", RELEASE, "--namespace", RELEASE_NAMESPACE)
        listed = self.cluster.kubectl("get", "-f", "-", "-o", "json", "--show-managed-fields", input_=manifest)
        return json.loads(listed)["items"]

    def test_what_the_operator_writes_is_to_be_ignored_and_nothing_else(self):
        wrote = {(object_["kind"], pointer) for object_ in self.release_objects() for pointer in written(object_)}
        for tool, rules in ("Argo CD", argo_rules()), ("Flux", flux_rules()):
            matches = lambda rule, field: rule[0] == field[0] and re.fullmatch(rule[1] + "(/.*)?", field[1])
            with self.subTest(tool):
                self.assertEqual([field for field in wrote if not any(matches(rule, field) for rule in rules)], [])
                self.assertEqual([rule for rule in rules if not any(matches(rule, field) for field in wrote)], [])

    def evaluated(self, name, **ready):
        """The policy, once its condition Ready has these fields."""
        def probe():
            object_ = self.shop.policy(name)
            found = condition(object_, "Ready")
            is_new = (object_ or {}).get("status", {}).get("observedGeneration") == object_["metadata"]["generation"]
            return object_ if is_new and all(found[key] == text for key, text in ready.items()) else None
        return wait_until(lambda: f"{name} to be {ready}: {self.shop.policy(name)}", probe)

    def test_the_health_of_policies(self):
        self.shop.apply(*map(deployment, ("web", "both", "given", "queue")), hpa("given", deployment("given")),
                        policy("web"), policy("both"), policy("queue", metrics=[QUEUE]), policy("absent"),
                        policy("off", mode="Disabled"))
        taker = policy("taker", deployment("given"))
        taker["metadata"]["annotations"] = {"ballast.dev/takes-over": "HorizontalPodAutoscaler/given"}
        self.shop.apply(taker)
        works = self.evaluated("web", status="True")
        self.evaluated("both", status="True")
        self.shop.apply(hpa("both", deployment("both")))
        says = lambda object_: health(script(), object_)[0]
        told = health(script(), self.evaluated("queue", reason="FailedGetExternalMetric"))
        self.assertEqual(told[0], "Progressing")
        self.assertIn("queue", told[1])
        self.assertEqual(says(works), "Healthy")
        self.assertEqual(says({key: value for key, value in works.items() if key != "status"}), "Progressing")
        edited = works["metadata"] | {"generation": works["metadata"]["generation"] + 1}
        self.assertEqual(says(works | {"metadata": edited}), "Progressing")
        self.assertEqual(says(self.evaluated("absent", reason="FailedGetScale")), "Progressing")
        self.assertEqual(says(self.evaluated("off", status="True")), "Healthy")
        self.assertEqual(says(self.evaluated("both", status="False")), "Degraded")
        self.assertEqual(says(self.evaluated("taker", status="False")), "Healthy")

    def test_a_namespace_that_enforces_the_restricted_standard(self):
        root = namespaced("v1", "Pod", "root", spec={"containers": [{"name": "app", "image": "app"}]})
        with self.assertRaisesRegex(ApiError, 'violates PodSecurity "restricted'):
            self.cluster.namespace(RELEASE_NAMESPACE).apply(root)
        self.assertRegex(self.helm("test", "--timeout", HELM), r"Phase: +Succeeded")

    def test_kube_prometheus_stack(self):
        self.install(*self.RELEASED, files=[self.values("kube-prometheus-stack")])
        labelled = {object_["kind"] for object_ in self.release_objects()
                    if object_["metadata"].get("labels", {}).get("release") == "prometheus"}
        self.assertEqual(labelled, {"ServiceMonitor", "PrometheusRule"})
        dashboards = [object_ for object_ in self.release_objects()
                      if "grafana_dashboard" in object_["metadata"].get("labels", {})]
        self.assertEqual(len(dashboards), 1)

    def test_openshift(self):
        values = self.values("OpenShift")
        self.assertNotRegex(self.render(values, "--set", "image.repository=b"), "runAsUser|runAsGroup|fsGroup:")
        # The platform's part: nobody chooses ids here.
        self.install(*self.RELEASED, *(f"podSecurityContext.{id_}={USER}" for id_ in ("runAsUser", "fsGroup")),
                     files=[values])
        self.assertRegex(self.ballast("check", "-n", RELEASE_NAMESPACE), r"(?m)^ok +source platform ")
        self.shop.apply(deployment("asks"), policy("asks", metrics=[{"type": "Prometheus", "prometheus": {
            "source": "platform", "query": 'up{n="$namespace"}', "target": {"type": "Value", "value": 1}}}]))
        self.assertIn("https://thanos-querier.openshift-monitoring.svc:9091/api/v1/query?timeout=4500ms&"
                      "query=up%7Bn%3D%22shop%22%7D\n", self.ballast("metrics", "asp/asks", "-n", "shop"))

    def test_without_the_internet(self):
        rendered = self.render(self.values("Without the internet"))
        self.assertEqual({image.rsplit(":", 1)[0] for image in re.findall(r'image: "(.+)"', rendered)},
                         {"mirror.example.com/platform/ballast"})

    def test_managed_prometheus(self):
        pages = [block for block in blocks(section("docs/prometheus.md", "Managed Prometheus")) if "url:" in block]
        self.assertEqual(len(pages), 4)
        file = self.store("values.yaml")
        for page in pages:
            file.write_text(page)
            self.assertIn("sources.yaml: |\n    sources:\n    - ", self.render(file, "--set", "image.repository=b"))

    def test_rendered_manifests(self):
        command = blocks(section(PAGE, "Rendered manifests"))[0].replace("\\\n", " ").split()
        done = subprocess.run([self.cluster.dir / "bin/helm", *command[1:], "--kube-version", "1.36.0"], cwd=ROOT,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("kind: StatefulSet", done.stdout)
        self.assertNotIn(f"{RELEASE}-check", done.stdout)


if __name__ == "__main__":
    enter_network()
    unittest.main()
