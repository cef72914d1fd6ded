#!/usr/bin/env python3
"""Tests what the chart's values do: a real API server takes every object of each combination, wrong
values are refused, and rights go no further than the values say."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import definitions
from support.api import path
from support.case import ClusterCase
from support.cluster import CHART, OPERATOR_USER, RELEASE, RELEASE_NAMESPACE, set_json
from support.json_texts import objects_in
from support.notes import commands
from support.objects import namespaced
from support.waiting import wait_until

UMBRELLA = """apiVersion: v2
name: platform
version: 0.1.0
dependencies: [{name: ballast, version: ">=0.0.0-0", repository: "", condition: ballast.enabled}]
"""
IMAGE = 'image.repository="registry.example.com/ballast"'
ROLLOUTS = 'customTargets=[{"group":"argoproj.io","resources":["rollouts"]}]'
CHECK = RELEASE + "-check"
CERT_MANAGER = "webhook.certManager.enabled=true"
NAMED = {"repository": "registry.example.com/ballast"}
SCHEMA = json.loads((Path(CHART) / "values.schema.json").read_text())


def members(schema):
    """The values within a value: by name, the schema of each."""
    schema = SCHEMA["definitions"].get(schema.get("$ref", "").removeprefix("#/definitions/"), schema)
    return schema.get("properties", {})


def sections(schema, *at):
    """The paths of the values that have values of their own."""
    for name, member in members(schema).items():
        if members(member):
            yield (*at, name)
            yield from sections(member, *at, name)


def nulls(schema):
    """Null for each value that is no section."""
    return {name: nulls(member) or None for name, member in members(schema).items()}


def nested(path_, value):
    return {path_[0]: nested(path_[1:], value)} if path_ else value


AT_ONCE = 4  # runs of helm or kubectl, which wait most of their time
SECTIONS = [section for section in sections(SCHEMA) if section != ("image",)]

# Combinations of values, as for --set-json, and what their objects must and must not have.
COMBINATIONS = {
    "defaults": ((IMAGE,), ['"replicas": 1', '"ReadWriteOncePod"', '"runAsNonRoot": true',
                            '"type": "RuntimeDefault"', '"readOnlyRootFilesystem": true',
                            '"drop": ["ALL"]', '"kind": "FlowSchema"'],
                 ["PodDisruptionBudget", "NetworkPolicy", "AntiAffinity", "customresourcedefinitions"]),
    "ha": ((IMAGE, 'preset="ha"'),
           ['"replicas": 2', "PodDisruptionBudget", "requiredDuringScheduling",
            "topology.kubernetes.io/zone", "AlwaysAllow"], []),
    "several replicas": ((IMAGE, "replicas=3"),
                         ['"replicas": 3', "PodDisruptionBudget", "preferredDuringScheduling"], []),
    "ha, and more replicas": ((IMAGE, 'preset="ha"', "replicas=5"), ['"replicas": 5'], []),
    "some namespaces": ((IMAGE, 'operator.namespaces=["shop","bank","shop"]', ROLLOUTS,
                         'operator.hpaTakeoverNamespaces=["shop","shop"]'),
                        ['"--namespace=bank"', '"mutatingwebhookconfigurations"'],
                        ["customresourcedefinitions"]),
    "some namespaces, no right for the cluster": (
        (IMAGE, 'operator.namespaces=["shop"]', CERT_MANAGER, "rbac.aggregateRoles=false"),
        ['"kind": "Role"', '"ballast-check"'], ['"kind": "ClusterRole', "--webhook-secret"]),
    "some namespaces, without a webhook": (
        (IMAGE, 'operator.namespaces=["shop"]', "webhook.enabled=false", "rbac.aggregateRoles=false"),
        ['"kind": "Role"', '"ballast-leader"'], ['"kind": "ClusterRole', "WebhookConfiguration"]),
    "custom targets": ((IMAGE, ROLLOUTS), ['"rollouts.argoproj.io"', '"rollouts/scale"'], []),
    "cert-manager, with an authority of its own": (
        (IMAGE, CERT_MANAGER), ['"kind": "Issuer"', '"isCA": true', "cert-manager.io/inject-ca-from",
                                "--webhook-certificate-dir"], ['"kind": "Secret"']),
    "cert-manager, with an issuer": (
        (IMAGE, CERT_MANAGER, 'webhook.certManager.issuerRef={"kind":"ClusterIssuer","name":"ca"}'),
        ['"ClusterIssuer"'], ['"kind": "Issuer"', '"isCA"']),
    "a platform that chooses ids": (
        (IMAGE, "podSecurityContext.runAsUser=null", "podSecurityContext.runAsGroup=null",
         "podSecurityContext.fsGroup=null"), ['"runAsNonRoot": true'], ["65532"]),
    "nulls where nothing is by default": (
        (IMAGE, 'commonLabels={"team":null,"kept":"y"}', 'podAnnotations={"team":null}', 'nodeSelector={"team":null}',
         'resources.limits={"cpu":null,"memory":"1Gi"}', 'operator.featureGates={"HPAScaleToZero":null}'),
        ['"kept": "y"', '"limits": {"memory": "1Gi"}'], ['"team"', "--feature-gates"]),
    "no volume": ((IMAGE, "store.persistence.enabled=false"), ['"emptyDir"'], ["volumeClaimTemplates"]),
    "an existing claim": ((IMAGE, 'store.persistence.existingClaim="ledger"'),
                          ['"claimName": "ledger"'], ["volumeClaimTemplates"]),
    "a claim of its own": (
        (IMAGE, 'store.persistence={"accessModes":["ReadWriteOnce"],"storageClassName":"fast",'
         '"size":"20Gi","annotations":{"a":"b"},"labels":{"c":"d"},"whenScaled":"Delete"}'),
        ['"ReadWriteOnce"', '"fast"', '"20Gi"', '"whenScaled": "Delete"', '"whenDeleted": "Retain"'],
        []),
    "metric sources": (
        (IMAGE, 'metricSources=[{"name":"main","url":"https://prometheus:9090","namespaces":["*"],'
         '"bearerTokenFile":"/etc/ballast/metric-source/token"}]', 'metricSourceSecret="prometheus"'),
        ['--metric-sources=', '"ballast-metric-sources"', 'checksum/metric-sources', "name: main",
         '"secretName": "prometheus"'], []),
    "rules for policies": (
        (IMAGE, 'policyRules=[{"name":"batch","namespaceSelector":{"matchLabels":{"tier":"batch"}},"defaults":'
         '{"behavior":{"scaleDown":{"stabilizationWindowSeconds":600}}},"limits":{"maxReplicas":100}}]'),
        ["--policy-rules=", '"ballast-policy-rules"', "checksum/policy-rules", "name: batch",
         '"resources": ["namespaces"]'], []),
    "rules that ask for no labels": (
        (IMAGE, 'policyRules=[{"name":"all","defaults":{"podSelection":"Owned"}},{"name":"lab","limits":'
         '{"maxReplicas":9},"namespaceSelector":{"matchExpressions":[{"key":"kubernetes.io/metadata.name",'
         '"operator":"In","values":["lab"]}]}}]'), ["--policy-rules="], ['"resources": ["namespaces"]']),
    "accounts and roles of somebody else": (
        (IMAGE, "serviceAccount.create=false", 'serviceAccount.name="mine"', "rbac.create=false"),
        ['"serviceAccountName": "mine"', "ballast-edit-policies"],
        ['"kind": "ServiceAccount", "metadata"', "RoleBinding"]),
    "an account of somebody else": (
        (IMAGE, "serviceAccount.create=false", 'serviceAccount.name="mine"'),
        ['"serviceAccountName": "mine"', '"subjects": [{"kind": "ServiceAccount", "name": "mine"'],
        ['"kind": "ServiceAccount", "metadata"']),
    "an operator outside": (("replicas=0", 'webhook.url="https://ballast.example.com"'),
                            ['"https://ballast.example.com/validate"'], []),
    "no webhook": ((IMAGE, "webhook.enabled=false"), [], ["WebhookConfiguration", "--webhook"]),
    "a digest": ((IMAGE, f'image.digest="sha256:{"0" * 64}"'),
                 [f'registry.example.com/ballast@sha256:{"0" * 64}'], []),
    "a port of the node": ((IMAGE, "hostNetwork=true", "webhook.port=10250"),
                           ['"ClusterFirstWithHostNet"', '"containerPort": 10250'], []),
    "a number as --set gives it": ((IMAGE, 'operator.tolerance="0.05"'), ["tolerance=0.05"], []),
    "the shortest age of a view": ((IMAGE, 'operator.maxViewAge="1m20s"'), ["--max-view-age=1m20s"], []),
    "numbers as they are": ((IMAGE, "operator.concurrentSyncs=1000", "operator.tolerance=1000000"),
                            ["syncs=1000", "tolerance=1e+06"], []),
    "a part of another chart": (
        (IMAGE, 'global={"imageRegistry":"elsewhere","imagePullSecrets":[{"name":"whole"},"short"]}',
         'imagePullSecrets=[{"name":"part"}]'),
        ['"elsewhere/ballast:', '"name": "whole"', '"name": "short"', '"name": "part"'], ["registry.example.com"]),
    "nothing but nulls": (
        (IMAGE, *(f"{section}=null" for (section, *rest) in SECTIONS if not rest and section != "crds")),
        ['"kind": "ValidatingWebhookConfiguration"', '"--leader-elect"', '"ReadWriteOncePod"', '"storage": "8Gi"',
         '"workload-high"', '"--serve-address=:8080"'],
        ["--log-level", "--horizontal-pod-autoscaler", "--store-max", "--leader-elect-lease-duration"]),
    "all around": ((
        IMAGE, "metrics.serviceMonitor.enabled=true", 'metrics.serviceMonitor.interval="30s"',
        "metrics.prometheusRule.enabled=true", 'metrics.prometheusRule.alertLabels={"team":"x"}',
        'metrics.prometheusRule.alerts={"BallastPinnedAtMax":{"for":"2h"},"BallastHeld":{"enabled":false}}',
        "metrics.dashboard.enabled=true", "networkPolicy.enabled=true",
        'networkPolicy.webhookFrom=[{"ipBlock":{"cidr":"10.0.0.1/32"}}]',
        'networkPolicy.egress=[{"ports":[{"port":6443}]}]', 'service.ipFamilyPolicy="PreferDualStack"',
        'commonLabels={"team":"x"}', 'commonAnnotations={"owner":"y"}', 'podLabels={"zone":"z"}',
        'priorityClassName="system-cluster-critical"', 'tolerations=[{"operator":"Exists"}]',
        'topologySpreadConstraints=[{"topologyKey":"rack","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule"}]',
        'webhook.excludedNamespaces=["infra"]', 'webhook.objectSelector={"matchLabels":{"a":"b"}}',
        'webhook.namespaceSelector={"matchExpressions":[{"key":"c","operator":"Exists"}]}',
        'webhook.matchConditions=[{"name":"mine","expression":"true"}]',
        'extraEnv=[{"name":"SSL_CERT_FILE","value":"x"}]', 'extraVolumes=[{"name":"v","emptyDir":{}}]',
        'extraVolumeMounts=[{"name":"v","mountPath":"/v"}]', 'dnsConfig={"searches":["example.com"]}',
        'hostAliases=[{"ip":"10.0.0.1","hostnames":["x"]}]', 'imagePullSecrets=[{"name":"r"}]',
        'extraObjects=[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"{{ .Release.Name }}-more",'
        '"namespace":"{{ .Release.Namespace }}"}}]'),
        ['"ServiceMonitor"', '"for": "2h"', "grafana_dashboard", '"NetworkPolicy"', '"10.0.0.1/32"',
         '"Egress"', '"PreferDualStack"', '"system-cluster-critical"', '"infra"', '"mine"',
         '"ballast-more"', '"team": "x"', '"owner": "y"', '"zone": "z"', '"rack"'], ["BallastHeld"]),
}

# A wrong value, and what the refusal must say.
WRONG = [
    ((), "image.repository: name the operator's image"),
    (("image=null",), "image.repository: name the operator's image"),
    ((IMAGE, "replica=2"), "'replica' not allowed"),
    ((IMAGE, "operator.leaderElection.enable=true"), "'enable' not allowed"),
    ((IMAGE, "global.imagePullSecrets=[7]"), "/global/imagePullSecrets/0"),
    ((IMAGE, 'replicas="two"'), "/replicas"),
    ((IMAGE, 'operator.logLevel="loud"'), "/operator/logLevel"),
    ((IMAGE, "operator.syncPeriod=15"), "/operator/syncPeriod"),
    *(((IMAGE, f'operator.maxViewAge="{age}"'), f"operator.maxViewAge: {age} is less than 80s")
      for age in ("0", "79s", "1m19.9s", "1.3m", "79999ms", "0.02h")),
    ((IMAGE, "operator.maxViewAge=120"), "/operator/maxViewAge"),
    ((IMAGE, 'operator.longestOverride="0s"'), "/operator/longestOverride"),
    ((IMAGE, 'operator.tolerance="5%"'), "/operator/tolerance"),
    ((IMAGE, 'store.maxSize="4GB"'), "/store/maxSize"),
    ((IMAGE, "image.tag=1.10"), "/image/tag"),
    ((IMAGE, 'image.architectures="arm64"'), "/image/architectures"),
    ((IMAGE, 'nodeSelector={"kubernetes.io/arch":"arm64"}'), "name it in image.architectures"),
    ((IMAGE, 'webhook.url="http://plain"'), "/webhook/url"),
    ((IMAGE, 'webhook.url="https://elsewhere"'), "webhook.url: is for an operator outside"),
    ((IMAGE, 'webhook.certManager.issuerRef={"kind":"Issuer"}'), "/webhook/certManager/issuerRef"),
    ((IMAGE, 'livenessProbe.exec={"command":["x"]}'), "/livenessProbe"),
    ((IMAGE, 'operator.featureGates={"Unknown":true}'), "/operator/featureGates"),
    ((IMAGE, 'metricSources=[{"name":"main","url":"http://me:secret@x","namespaces":["*"]}]'),
     "/metricSources/0/url"),
    ((IMAGE, 'metricSources=[{"name":"main","url":"http://x"}]'), "/metricSources/0"),
    ((IMAGE, 'policyRules=[{"name":"a","limits":{"maxReplicas":0}}]'), "/policyRules/0/limits/maxReplicas"),
    ((IMAGE, 'policyRules=[{"name":"a","limits":{"minReplicas":1}}]'), "'minReplicas' not allowed"),
    ((IMAGE, 'policyRules=[{"name":"a","defaults":{"podSelection":"Mine"}}]'),
     "/policyRules/0/defaults/podSelection"),
    ((IMAGE, 'policyRules=[{"name":"a","defaults":{"behavior":{"scaleUp":{"policies":[]}}}}]'),
     "/policyRules/0/defaults/behavior/scaleUp/policies"),
    ((IMAGE, 'policyRules=[{"limits":{"maxReplicas":1}}]'), "'name'"),
    ((IMAGE, 'policyRules=[{"name":"a"}]'), "/policyRules/0"),
    ((IMAGE, 'policyRules=[{"name":"a","limits":{"maxReplicas":1}}]', "webhook.enabled=false"),
     "policyRules: need the webhook"),
    ((IMAGE, "replicas=2", "operator.leaderElection.enabled=false"),
     "need operator.leaderElection.enabled"),
    ((IMAGE, 'preset="ha"', 'store.persistence.existingClaim="ledger"'),
     "each needs a volume of its own"),
    ((IMAGE, 'operator.namespaces=["shop"]', 'operator.hpaTakeoverNamespaces=["bank"]'),
     "bank is not among operator.namespaces"),
    ((IMAGE, "metrics.prometheusRule.enabled=true", "metrics.prometheusRule.alerts={\"Typo\":{}}"),
     "there is no alert Typo"),
]


class ChartValuesTest(ClusterCase):
    VALUES = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        definitions.define(cls.cluster)
        for name in ("shop", "bank", RELEASE_NAMESPACE):
            namespace = cls.cluster.namespace(name)
        for account in CHECK, "mine":  # a dry run needs those of its pods
            namespace.apply(namespaced("v1", "ServiceAccount", account))

    def install(self, *values):
        """Installs the chart until the test ends; its definition stays."""
        self.addCleanup(self.cluster.helm, "uninstall", RELEASE, "--ignore-not-found",
                        "--namespace", RELEASE_NAMESPACE)
        return self.cluster.install_chart(*values)

    def test_an_api_server_takes_every_object(self):
        def stored(values):
            rendered = self.cluster.render_chart("crds.install=false", *values)
            return wait_until("every kind to be served", lambda: self.create(rendered))

        with ThreadPoolExecutor(AT_ONCE) as pool:
            made = {name: pool.submit(stored, values) for name, (values, *_) in COMBINATIONS.items()}
        for name, (_, present, absent) in COMBINATIONS.items():
            with self.subTest(name):
                texts = made[name].result()
                for word in present:
                    self.assertTrue(any(word in text for text in texts), word)
                installed = [text for text in texts if '"helm.sh/hook": "test"' not in text]
                for word in absent:
                    self.assertFalse([text for text in installed if word in text], word)

    def try_(self, *words, input_):
        return self.cluster.kubectl("apply", "--server-side", "--dry-run=server", *words, "-f", "-",
                                    check=False, input_=input_)

    def create(self, rendered):
        """The objects as the API server would store them; None if it does not serve a kind yet."""
        done = self.try_("--validate=strict", "-o", "json", input_=rendered)
        if "no matches for kind" in done.stderr:
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.dumps(object_) for object_ in objects_in(done.stdout)]

    def test_pods_choose_nodes_that_the_image_has_the_program_for(self):
        condition = lambda key, *values: {"key": key, "operator": "In", "values": [*values]}
        given = {"podAffinity": {}, "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [condition("disk", "fast")]},
                                  {"matchFields": [condition("metadata.name", "a")]}]}}}
        both = condition("kubernetes.io/arch", "amd64", "arm64")
        for values, operators, checks in (
                ((), [{"matchExpressions": [condition("kubernetes.io/arch", "amd64")]}], ...),
                (('image.architectures=["amd64","arm64"]', 'preset="ha"'), [{"matchExpressions": [both]}], ...),
                (('image.architectures=["amd64","arm64"]', f"affinity={json.dumps(given)}"),
                 [{"matchExpressions": [condition("disk", "fast"), both]},
                  {"matchExpressions": [both], "matchFields": [condition("metadata.name", "a")]}],
                 [{"matchExpressions": [both]}]),
                (("image.architectures=[]",), None, ...)):
            with self.subTest(values):
                made = map(json.loads, self.create(self.cluster.render_chart("crds.install=false", IMAGE, *values)))
                pods = {object_["kind"]: object_["spec"].get("template", object_)["spec"] for object_ in made
                        if object_["kind"] in ("StatefulSet", "Pod")}
                terms = {kind: pod.get("affinity", {}).get("nodeAffinity", {}).get(
                    "requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms")
                    for kind, pod in pods.items()}
                self.assertEqual(terms, {"StatefulSet": operators, "Pod": operators if checks is ... else checks})
                self.assertEqual("podAffinity" in pods["StatefulSet"].get("affinity", {}), "podAffinity" in str(values))

    def test_the_pod_keeps_the_restricted_security_standard(self):
        self.cluster.kubectl("label", "--overwrite", "namespace", RELEASE_NAMESPACE,
                             "pod-security.kubernetes.io/warn=restricted")
        for value, violates in (("crds.install=false", False), ("hostNetwork=true", True)):
            rendered = self.cluster.render_chart("crds.install=false", IMAGE, value)
            done = self.try_(input_=rendered)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("would violate PodSecurity" in done.stderr, violates, done.stderr)

    def test_a_namespace_with_a_quota_takes_every_pod(self):
        hard = {"requests.cpu": "2", "requests.memory": "2Gi", "limits.memory": "2Gi"}
        quota = namespaced("v1", "ResourceQuota", "all", spec={"hard": hard})
        namespace = self.cluster.namespace(RELEASE_NAMESPACE)
        namespace.apply(quota)
        self.addCleanup(self.api.delete, namespace.path(quota))
        # Nobody else counts here.
        self.api.merge(namespace.path(quota, "status"), {"status": {"hard": hard, "used": dict.fromkeys(hard, "0")}})
        greedy = json.dumps(namespace.place(namespaced("v1", "Pod", "greedy", spec={
            "serviceAccountName": CHECK, "containers": [{"name": "greedy", "image": "greedy"}]})))
        wait_until("the quota to count", lambda: "must specify" in self.try_(input_=greedy).stderr)
        done = self.try_(input_=self.cluster.render_chart("crds.install=false", IMAGE))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_refuses_wrong_values(self):
        with ThreadPoolExecutor(AT_ONCE) as pool:
            refused = [pool.submit(self.cluster.render_chart, *values) for values, _ in WRONG]
        for (values, word), rendered in zip(WRONG, refused):
            with self.subTest(values), self.assertRaises(AssertionError) as refusal:
                rendered.result()
            self.assertIn(word, str(refusal.exception))

    def test_helm_finds_nothing_to_complain_of(self):
        self.assertIn("0 chart(s) failed",
                      self.cluster.helm("lint", "--strict", CHART, "--set-json", IMAGE))

    def render_umbrella(self, own=None, **values):
        """What helm renders of a chart that has this one as an optional part; `own` are the values in that chart."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "charts").mkdir()
        (folder / "charts/ballast").symlink_to(CHART)
        (folder / "Chart.yaml").write_text(UMBRELLA)
        (folder / "values.yaml").write_text(json.dumps(own or {}))
        (folder / "given.json").write_text(json.dumps(values))
        return self.cluster.helm("template", "platform", str(folder), "-f", str(folder / "given.json"))

    def test_is_an_optional_part_of_another_chart(self):
        image = {"repository": "registry.example.com:5000/team/ballast"}
        shared = {"domain": "example.com", "imageRegistry": "mirror.example.com",
                  "imagePullSecrets": ["a", {"name": "b"}]}
        self.assertEqual(self.render_umbrella(ballast={"enabled": False}).strip(), "")
        rendered = self.render_umbrella(ballast={"enabled": True, "image": image, "imagePullSecrets": [{"name": "a"}]},
                                        **{"global": shared})
        self.assertEqual(set(re.findall(r" image: (.*)", rendered)), {'"mirror.example.com/team/ballast:0.1.0"'})
        secrets = re.findall(r"imagePullSecrets:\n +- name: (.*)\n +- name: (.*)\n", rendered)
        self.assertEqual(set(secrets), {("a", "b")})

    def test_null_means_the_programs_default(self):
        rendered = self.render_umbrella(ballast=nulls(SCHEMA) | {"image": NAMED})
        flags = set(re.findall(r"^ +- (--[a-z-]+)", rendered, re.M))
        self.assertEqual(flags, {"--store", "--serve-address", "--webhook-address", "--webhook-secret",
                                 "--webhook-configuration", "--webhook-host", "--leader-elect",
                                 "--leader-elect-identity", "--leader-elect-resource-name",
                                 "--leader-elect-resource-namespace"})
        self.assertNotRegex(rendered, "runAsUser|requests:\n +cpu")
        self.assertRegex(rendered, "(?s)--serve-address=:8080.*--webhook-address=:9443")

    def test_a_section_that_is_null_is_one_that_nobody_wrote(self):
        objects = lambda rendered: sorted(re.findall(r"^kind: (.*)\nmetadata:\n  name: (.*)", rendered, re.M))
        usual = objects(self.render_umbrella(ballast={"image": NAMED}))
        self.assertIn(("StatefulSet", "platform-ballast"), usual)
        each = nulls(SCHEMA)
        each["image"] |= NAMED
        whole = {section: None for (section, *_) in SECTIONS} | {"image": NAMED}
        for values in (*({"ballast": nested(section, None)} for section in SECTIONS), {"own": {"ballast": whole}},
                       {"ballast": each}, {"own": {"ballast": each}}, {"ballast": each, "global": None}):
            with self.subTest(values):
                rendered = self.render_umbrella(**{"own": {"ballast": {"image": NAMED}}} | values)
                self.assertEqual(objects(rendered), usual)
                self.assertNotRegex(rendered, r"--[a-z-]+=$|nil|no value")

    def test_a_null_of_an_alert_is_its_default(self):
        rule = {"enabled": True, "alertLabels": None}
        render = lambda alerts: self.render_umbrella(
            ballast={"image": NAMED, "metrics": {"prometheusRule": rule | {"alerts": alerts}}})
        usual = render({})
        self.assertIn("alert: BallastHeld", usual)
        for alerts in (None, {"BallastHeld": None}, {"BallastHeld": {"enabled": None, "for": None, "severity": None}}):
            with self.subTest(alerts):
                self.assertEqual(render(alerts), usual)

    def test_names_a_namespace_that_is_missing(self):
        with self.assertRaisesRegex(AssertionError, "there is no namespace nowhere; create it first"):
            self.install('operator.hpaTakeoverNamespaces=["shop","nowhere"]')

    def test_takes_a_namespace_twice(self):
        self.install('operator.namespaces=["shop","bank","shop"]',
                     'operator.hpaTakeoverNamespaces=["shop","shop"]')
        roles = self.api.list(path("rbac.authorization.k8s.io/v1", "roles", "shop"))
        self.assertEqual({role["metadata"]["name"] for role in roles},
                         {RELEASE, RELEASE + "-manage-hpas"})

    def test_users_may_do_with_policies_what_they_may_do_with_a_namespace(self):
        self.install()
        for role in ("view", "edit", "admin"):
            self.cluster.kubectl("create", "rolebinding", role, "-n", "shop",
                                 "--clusterrole", role, "--user", role)
        policies = ("autoscalepolicies.ballast.dev", "-n", "shop")
        for role, verb, expected in (("view", "list", "yes"), ("view", "create", "no"),
                                     ("edit", "create", "yes"), ("edit", "delete", "yes"),
                                     ("admin", "patch", "yes"), ("admin", "get", "yes"),
                                     ("nobody", "get", "no")):
            with self.subTest(role=role, verb=verb):
                wait_until(f"{expected}", lambda: expected == self.cluster.kubectl(
                    "auth", "can-i", verb, *policies, "--as", role, check=False).stdout.strip())

    def test_with_namespaces_no_right_reaches_further(self):
        self.install('operator.namespaces=["shop"]', 'webhook.url="https://127.0.0.1:1"')
        allowed = json.loads(self.cluster.kubectl(
            "get", "clusterrole", RELEASE, "-o", "json"))["rules"]
        self.assertEqual(allowed, [{
            "apiGroups": ["admissionregistration.k8s.io"],
            "resources": ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
            "resourceNames": [RELEASE], "verbs": ["get", "patch"]}])
        scale = ("patch", "deployments.apps", "--subresource=scale")
        wait_until("the right to scale", lambda: self.can_i(*scale, "-n", "shop") == "yes")
        for refused in ((*scale, "-n", "bank"), ("list", "pods", "-n", "bank"),
                        ("list", "pods", "-A"), ("get", "customresourcedefinitions"),
                        ("get", "mutatingwebhookconfigurations/other"), ("list", "namespaces")):
            with self.subTest(refused):
                wait_until("the right to be gone", lambda r=refused: self.can_i(*r) == "no")

    def test_with_namespaces_helm_test_reaches_no_further(self):
        for values, kinds in (((), {"Role", "ClusterRole"}),
                              (('operator.namespaces=["shop"]',), {"Role"})):
            rendered = self.cluster.render_chart(IMAGE, *values)
            made = {object_["kind"] for object_ in map(json.loads, self.create(rendered))
                    if object_["metadata"]["name"] == CHECK}
            self.assertEqual(made - {"Pod", "ServiceAccount"}, kinds | {k + "Binding" for k in kinds})

    def can_i(self, *words):
        return self.cluster.kubectl("auth", "can-i", *words, "--as", OPERATOR_USER,
                                    check=False).stdout.strip()

    def test_the_notes_name_commands_that_work(self):
        notes = self.install().partition("NOTES:")[2]
        token, apply, describe = commands(notes)
        self.assertIn(f"create token {RELEASE}", token)
        for command in (token, apply, describe):
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False,
                                  env=self.cluster.environment | {
                                      "PATH": f"{self.cluster.dir / 'bin'}:{os.environ['PATH']}"})
            self.assertEqual(done.returncode, 0, command + done.stderr)

    def test_the_notes_fit_the_values(self):
        for values, present, absent in (
                ((IMAGE,), ["helm test ballast --namespace", "get lease ballast", "one replica",
                            f"is not called for the namespace {RELEASE_NAMESPACE}"], ["create token"]),
                ((IMAGE, "operator.leaderElection.enabled=false"), ["exec ballast-0 --"], ["get lease"]),
                ((IMAGE, 'operator.namespaces=["shop"]'), ["serves shop", "namespace: shop"],
                 ["is not called for"]),
                ((IMAGE, "store.persistence.enabled=false"), ["the history is lost with the pod"], []),
                ((IMAGE, 'preset="ha"'), [], ["one replica"]),
                (("replicas=0",), ["create token ballast"], ["helm test", "one replica"])):
            with self.subTest(values):
                notes = self.cluster.helm(
                    "install", RELEASE, CHART, "--namespace", RELEASE_NAMESPACE, "--dry-run=client",
                    *set_json(values)).partition("NOTES:")[2]
                for word in present:
                    self.assertIn(word, notes)
                for word in absent:
                    self.assertNotIn(word, notes)


if __name__ == "__main__":
    unittest.main()
