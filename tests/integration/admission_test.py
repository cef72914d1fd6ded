#!/usr/bin/env python3
"""Tests the admission webhook with a real API server: what it refuses, defaults and warns of, and
how it behaves while its certificates rotate or while no operator runs."""

import base64
import json
import re
import socket
import ssl
import threading
import unittest
from urllib.parse import urlsplit

from support.api import ApiError, path
from support.case import ClusterCase
from support.cluster import OPERATOR_USER, RELEASE, RELEASE_NAMESPACE
from support.json_texts import objects_in
from support.long_form import only_long
from support.objects import condition, deployment, hpa, namespaced, policy, scale_down
from support.process import ballast
from support.waiting import PATIENCE, wait_until
from support.webhook import FLAGS, Load, answers, refusal, try_out

SECRET = path("v1", "secrets", RELEASE_NAMESPACE, f"{RELEASE}-webhook")
CONFIGURATIONS = [path("admissionregistration.k8s.io/v1", plural, None, RELEASE) for plural in
                  ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")]
NOWHERE = "https://127.0.0.1:1"
# The schema allows it, but no container has such a resource.
UNHEARD = {"type": "ContainerResource", "containerResource": {
    "name": "gpu", "container": "app", "target": {"type": "Utilization", "averageUtilization": 50}}}
COMPLAINT = "spec.metrics[0].containerResource.name: must be a resource that containers have"


def decoded(secret, key):
    return base64.b64decode(secret["data"][key]).decode()


class AdmissionTest(ClusterCase):
    LOADS = {("scaled", "web"): 140, ("taken", "web"): 20}
    VALUES = (f'webhook.url="{NOWHERE}"',)
    DENIED = {("get", "", "namespaces", "ruled"): "a test takes the right away while there are rules"}

    serving = None  # the operator that all tests share, but those that stop it

    def setUp(self):
        if not (self.serving and self.serving.running):
            type(self).serving = self.webhook(shared=True)

    def webhook(self, address="127.0.0.1:0", hpas="warn", rules=(), **options):
        """Starts an operator whose webhook the API server calls."""
        self.rules = self.store("rules.yaml")
        self.rules.write_text(json.dumps({"rules": rules}))
        operator = self.operator("--webhook-address", address, "--webhook-hpas", hpas,
                                 "--hpa-takeover-namespace", "taken",
                                 "--policy-rules", str(self.rules), *FLAGS,
                                 **options).wait_ready()
        operator.address = operator.wait_for("the webhook listens")["address"]
        self.cluster.install_chart(f'webhook.url="https://{operator.address}"',
                                   f"policyRules={json.dumps(rules)}")
        wait_until("the API server to believe the webhook", lambda: answers(self.api))
        return operator

    def assert_refused(self, space, object_, *texts):
        with self.assertRaises(ApiError) as refused:
            space.apply(object_)
        for text in ("denied the request", *texts):
            self.assertIn(text, refused.exception.message)
        self.assertIsNone(space.get(object_))

    def apply(self, space, object_, *flags, check=True):
        """Runs `kubectl apply`, which must succeed if `check` is True, fail if False, and may do
        either if None. Returns the output of both streams."""
        done = self.cluster.kubectl("apply", "-f", "-", *flags, check=False,
                                    input_=json.dumps(space.place(object_)))
        if check is not None:
            self.assertEqual(done.returncode, 0 if check else 1, done.stderr)
        return done.stdout + done.stderr

    def test_completes_what_the_schema_cannot(self):
        space = self.cluster.namespace("completed")
        incomplete = policy("web", mode="DryRun")
        incomplete["spec"] |= {"metrics": [], "behavior": {"scaleUp": {}}}
        space.apply(incomplete)
        offline = json.loads(ballast("default", "-o", "json", "-f", "-",
                                     input_=json.dumps(incomplete)).stdout)
        stored = space.policy("web")["spec"]
        self.assertEqual(stored, offline["spec"])
        self.assertEqual(stored["metrics"][0]["resource"]["target"]["averageUtilization"], 80)

    def test_refuses_however_it_is_sent(self):
        space = self.cluster.namespace("refused")
        bad = policy("web", metrics=[UNHEARD])
        self.assert_refused(space, bad, COMPLAINT)
        for flags in ((), ("--dry-run=server",), ("--server-side",)):
            with self.subTest(flags):
                said = self.apply(space, bad, *flags, check=False)
                self.assertIn(COMPLAINT, said)
        with self.assertRaisesRegex(ApiError, "denied the request"):
            try_out(self.api, bad, "refused")
        space.apply(policy("web"))
        with self.assertRaisesRegex(ApiError, re.escape(COMPLAINT)):
            space.edit_policy("web", metrics=[UNHEARD])
        self.assertEqual(space.policy("web")["spec"]["metrics"], policy("web")["spec"]["metrics"])
        # A dry run that would be allowed leaves nothing behind.
        self.apply(space, policy("dry"), "--dry-run=server")
        self.assertIsNone(space.policy("dry"))

    def is_refused(self, name="web", namespace="default", **labels):
        """Whether an invalid policy is refused; it passes where the webhook is not called."""
        bad = policy(name, metrics=[UNHEARD])
        bad["metadata"]["labels"] = labels
        try:
            try_out(self.api, bad, namespace)
            return False
        except ApiError as error:
            self.assertIn(COMPLAINT, error.message)
            return True

    def test_is_not_called_for_the_clusters_own_namespace_nor_for_the_releases(self):
        self.assertTrue(self.is_refused())
        for name in "kube-system", RELEASE_NAMESPACE:
            self.assertFalse(self.is_refused(namespace=name), name)

    def test_is_called_for_what_the_values_select(self):
        self.cluster.namespace("excluded")
        self.addCleanup(wait_until, "all policies to be reviewed again", self.is_refused)
        self.addCleanup(self.cluster.install_chart, f'webhook.url="https://{self.serving.address}"')
        self.cluster.install_chart(
            f'webhook.url="https://{self.serving.address}"', 'webhook.excludedNamespaces=["excluded"]',
            'webhook.objectSelector={"matchLabels":{"reviewed":"yes"}}',
            'webhook.matchConditions=[{"name":"not-free","expression":"object.metadata.name != \'free\'"}]')
        wait_until("the selector to count", lambda: not self.is_refused())
        self.assertTrue(self.is_refused(reviewed="yes"))
        self.assertFalse(self.is_refused("free", reviewed="yes"))
        self.assertFalse(self.is_refused(namespace="excluded", reviewed="yes"))

    def test_warns_of_what_may_surprise(self):
        space = self.cluster.namespace("warned")
        said = self.apply(space, policy("absent"))
        self.assertIn("Warning: Deployment absent does not exist (yet)", said)
        space.apply(deployment("web", replicas=0))
        self.assertIn("Warning: Deployment web stands at 0 replicas",
                      self.apply(space, policy("web")))
        self.assertIn("Warning: spec.mode is Disabled",
                      self.apply(space, policy("web", mode="Disabled")))
        space.apply(namespaced("v1", "ResourceQuota", "few", spec={"hard": {"pods": "4"}}))
        self.assertIn("quota warned/few (pods) leaves room for 4",
                      self.apply(space, policy("web", max_replicas=11)))
        lean = deployment("lean")
        del lean["spec"]["template"]["spec"]["containers"][0]["resources"]
        space.apply(lean)
        wait_until("a word about requests", lambda: "missing request for cpu in container app" in
                   self.apply(space, policy("lean"), "--dry-run=server"))

    def test_a_target_has_one_autoscaler(self):
        space = self.cluster.namespace("rivals")
        web, db, queue = deployment("web"), deployment("db"), deployment("queue")
        space.apply(web, db, queue, hpa("native", web), policy("db"))
        seen = lambda: "rivals/native" in refusal(self.api, policy("web"), "rivals")
        wait_until("the operator to have seen the HPA", seen)
        self.assert_refused(space, policy("web"), "spec.scaleTargetRef: Deployment web is scaled "
                            "by HorizontalPodAutoscaler rivals/native already", "delete one")
        # HPAs belong to Kubernetes: only a warning, unless the installation wants more.
        older = hpa("older", db) | {"apiVersion": "autoscaling/v1"}
        del older["spec"]["metrics"]
        for object_ in (hpa("db", db), older):
            wait_until("the operator to have seen the policy", lambda o=object_: "Warning: Deployment db is scaled "
                       "by AutoScalePolicy rivals/db already" in self.apply(space, o, "--dry-run=server"))
        # If the HPA belongs to a ScaledObject, the message names that.
        owner = {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "name": "queue",
                 "uid": "00000000-0000-0000-0000-000000000001", "controller": True}
        keda = hpa("keda-hpa-queue", queue)
        keda["metadata"]["ownerReferences"] = [owner]
        space.apply(keda)
        wait_until("the operator to have seen the HPA",
                   lambda: "of ScaledObject queue" in refusal(self.api, policy("queue"), "rivals"))
        # Beside an HPA a policy may exist switched off, but not be switched on.
        space.apply(policy("web", mode="Disabled"))
        with self.assertRaisesRegex(ApiError, "rivals/native"):
            space.edit_policy("web", mode="Active")
        self.api.delete(space.path(hpa("native", web)))
        wait_until("the way to be free", lambda: self.may_activate(space, "web"))
        # A policy that is switched off conflicts with nobody, in webhook and controller.
        space.edit_policy("db", mode="Disabled")
        wait_until("the successor", lambda: self.created(space, policy("successor", db)))
        wait_until("its first evaluation",
                   lambda: condition(space.policy("successor"), "ScalingActive")["status"])
        self.assertNotEqual(condition(space.policy("successor"), "Conflicted")["status"], "True")
        # A kind that cannot be scaled at all.
        daemon = policy("daemon", namespaced("apps/v1", "DaemonSet", "daemon"))
        self.assert_refused(space, daemon, "a DaemonSet has no scale subresource")

    def test_hpas_are_refused_where_that_is_wanted(self):
        space = self.cluster.namespace("native")
        self.serving.close()
        self.serving = self.webhook(hpas="refuse")
        web = deployment("web")
        space.apply(web, policy("web"))
        wait_until("the operator to have seen the policy", lambda: "native/web" in
                   self.apply(space, hpa("rival", web), "--dry-run=server", check=None))
        self.assert_refused(space, hpa("rival", web), "AutoScalePolicy native/web")

    def test_keeps_the_rules_of_the_installation(self):
        space = self.cluster.namespace("ruled")
        self.api.merge(path("v1", "namespaces", None, "ruled"),
                       {"metadata": {"labels": {"tier": "batch"}}})
        space.apply(policy("old", max_replicas=30))
        self.serving.close()
        self.serving = self.webhook(rules=[
            {"name": "batch", "namespaceSelector": {"matchLabels": {"tier": "batch"}},
             "defaults": {"podSelection": "Owned", "behavior": scale_down(600)},
             "limits": {"minSyncPeriodSeconds": 5}},
            {"name": "all", "limits": {"maxReplicas": 20}}])
        bare = policy("web", period=5)
        del bare["spec"]["behavior"]
        wait_until("the right to labels to count", lambda: "could not be read" not in
                   self.apply(space, bare, "--dry-run=server"))
        for where in (space, self.cluster.namespace("unruled")):
            where.apply(bare)
            labels = self.api.get(path("v1", "namespaces", None, where.name))
            offline = ballast("default", "-o", "json", "--defaults", self.rules, "-f", "-",
                              input_="\n".join(map(json.dumps, (labels, where.place(bare)))))
            self.assertEqual(where.policy("web")["spec"], [*objects_in(offline.stdout)][-1]["spec"])
            self.assertEqual(offline.stderr, "")
        ruled = space.policy("web")["spec"]
        self.assertEqual(ruled["podSelection"], "Owned")
        self.assertEqual(ruled["behavior"]["scaleDown"]["stabilizationWindowSeconds"], 600)
        self.assertEqual(where.policy("web")["spec"]["podSelection"], "Selector")
        self.assertNotIn("behavior", where.policy("web")["spec"])
        # Applying it again changes nothing, and nothing is said.
        self.assertNotIn("rule", self.apply(space, bare).replace("ruled", ""))
        self.assertEqual(space.policy("web")["spec"], ruled)
        self.assert_refused(space, policy("big", max_replicas=21, period=4),
                            "spec.maxReplicas: is 21; rule all of the chart's value policyRules "
                            "allows 20 at most", "spec.syncPeriodSeconds: is 4; rule batch")
        # What was there before stays, and may be edited, but not go further.
        self.assertEqual(space.policy("old")["spec"]["podSelection"], "Selector")
        self.assertIn("Warning: spec.maxReplicas: is 30; rule all",
                      self.apply(space, policy("old", max_replicas=30, cpu=60)))
        with self.assertRaisesRegex(ApiError, "is 31; rule all"):
            space.edit_policy("old", maxReplicas=31)
        space.edit_policy("old", mode="Disabled", maxReplicas=40)
        native = hpa("native", deployment("native"))
        native["spec"]["maxReplicas"] = 100
        self.assertNotIn("rule all", self.apply(space, native))
        # Without the right to read labels, nothing is filled in, and a warning says so.
        self.cluster.install_chart(f'webhook.url="https://{self.serving.address}"')
        unread = policy("unread", period=5)
        wait_until("the right to be gone", lambda: "spec.podSelection: rule batch is left out: the "
                   "labels of namespace ruled could not be read" in
                   self.apply(space, unread, "--dry-run=server"))
        space.apply(unread)
        self.assertNotIn("podSelection", space.policy("unread")["spec"])

    def test_takes_over_from_an_hpa(self):
        """Like `helm upgrade` when a chart's HPA becomes a policy: creates, then deletes."""
        space = self.cluster.namespace("taken")
        web = deployment("web", replicas=3)
        space.apply(web, hpa("web", web))
        wait_until("the operator to have seen the HPA",
                   lambda: "taken/web" in refusal(self.api, policy("web", window=300), "taken"))
        heir = policy("web", window=300)
        heir["metadata"]["annotations"] = {"ballast.dev/takes-over": "HorizontalPodAutoscaler/web"}
        self.assertIn("until HorizontalPodAutoscaler taken/web is gone", self.apply(space, heir))
        wait_until("the policy to yield", lambda: condition(
            space.policy("web"), "Conflicted")["status"] == "True")
        self.assertIn("takes over", condition(space.policy("web"), "Conflicted")["message"])
        self.api.delete(space.path(hpa("web", web)))
        wait_until("the policy to take over", lambda: condition(
            space.policy("web"), "TookOver")["status"] == "True")
        wait_until("its first evaluation", lambda: condition(
            space.policy("web"), "ScalingActive")["status"] == "True")
        self.assertNotEqual(condition(space.policy("web"), "Conflicted")["status"], "True")
        # There is hardly any load, yet nothing is scaled in within the window.
        self.assertEqual(space.replicas(web), 3)
        wait_until("the event", lambda: "TookOver" in self.cluster.kubectl(
            "-n", "taken", "get", "events"))
        # The takeover works once: beside the next HPA the policy cannot be switched on.
        space.edit_policy("web", mode="Disabled")
        space.apply(hpa("web", web))
        wait_until("the HPA to be in the way", lambda: self.may_not_activate(space, "web"))

    def test_takes_over_only_where_the_installation_allows_it(self):
        space = self.cluster.namespace("untaken")
        web = deployment("web")
        heir = policy("web")
        heir["metadata"]["annotations"] = {"ballast.dev/takes-over": "HorizontalPodAutoscaler/web"}
        space.apply(web, hpa("web", web))
        wait_until("the operator to have seen the HPA",
                   lambda: "hpaTakeoverNamespaces" in refusal(self.api, heir, "untaken"))
        managed = hpa("other", deployment("other"))
        managed["metadata"]["annotations"] = {"ballast.dev/hpa-mode": "manage"}
        self.assertIn("manage is not allowed in this namespace", self.apply(space, managed))

    def may_activate(self, space, name):
        try:
            space.edit_policy(name, mode="Active")
            return True
        except ApiError:
            return False

    def may_not_activate(self, space, name):
        if not self.may_activate(space, name):
            return True
        space.edit_policy(name, mode="Disabled")  # the operator has not seen the rival yet
        return False

    def created(self, space, object_):
        try:
            space.apply(object_)
            return True
        except ApiError:
            return False

    @only_long
    def test_what_is_stored_wrong_can_still_be_handled(self):
        space = self.cluster.namespace("stored")
        self.cluster.install_chart("webhook.enabled=false")
        wait_until("the webhook not to be called any more",
                   lambda: self.created(space, policy("web", metrics=[UNHEARD])))
        self.serving.stop()
        self.serving = self.webhook(self.serving.address)
        where = space.path(policy("web"))
        self.api.merge(where, {"metadata": {"labels": {"a": "b"}}})
        self.api.merge(where + "/status", {"status": {"currentReplicas": 1}})
        space.edit_policy("web", syncPeriodSeconds=30)
        with self.assertRaisesRegex(ApiError, r"spec\.metrics\[1\]"):
            space.edit_policy("web", metrics=[UNHEARD, UNHEARD])
        space.edit_policy("web", mode="Disabled")
        with self.assertRaisesRegex(ApiError, r"spec\.metrics\[0\]"):
            space.edit_policy("web", mode="Active")
        # A deletion with a finalizer succeeds.
        self.api.merge(where, {"metadata": {"finalizers": ["example.com/wait"]}})
        self.api.delete(where)
        self.api.merge(where, {"metadata": {"finalizers": None}})
        self.assertIsNone(space.policy("web"))

    def test_is_not_in_the_way_of_scaling(self):
        space = self.cluster.namespace("scaled")
        space.apply(deployment("web"), policy("web"))
        wait_until("three replicas", lambda: space.replicas(deployment("web")) == 3)
        wait_until("the status",
                   lambda: condition(space.policy("web"), "Ready")["status"] == "True")
        self.cluster.kubectl("-n", "scaled", "scale", "deployment/web", "--replicas=0")
        self.assertEqual(space.replicas(deployment("web")), 0)

    def test_while_no_operator_answers(self):
        space = self.cluster.namespace("absent")
        space.apply(deployment("web"), deployment("db"), policy("web"))
        self.assertEqual(self.serving.stop(), 0)
        with self.assertRaisesRegex(ApiError, "failed calling webhook"):
            space.apply(policy("new", deployment("db")))
        with self.assertRaisesRegex(ApiError, "failed calling webhook"):
            space.edit_policy("web", maxReplicas=11)
        space.apply(hpa("native", deployment("db")))
        # No operator is needed to change metadata, to switch off, and to delete.
        self.api.merge(space.path(policy("web")), {"metadata": {"labels": {"a": "b"}}})
        space.edit_policy("web", mode="Disabled")
        self.api.delete(space.path(policy("web")))
        self.assertIsNone(space.policy("web"))

    @only_long
    def test_hostile_clients_neither_stall_nor_fill_it(self):
        address = urlsplit("https://" + self.serving.address)
        endpoint = (address.hostname, address.port)
        anyone = ssl.create_default_context()
        anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
        before = self.serving.resident()
        silent = [socket.create_connection(endpoint) for _ in range(300)]
        self.addCleanup(lambda: [connection.close() for connection in silent])
        for connection in silent[::2]:
            connection.sendall(b"\x16\x03\x01")
        def flood():
            try:
                with anyone.wrap_socket(socket.create_connection(endpoint)) as client:
                    client.sendall(b"POST /validate HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
                    for _ in range(60):
                        client.sendall(b"100000\r\n" + bytes(0x100000) + b"\r\n")
            except OSError:
                pass  # the webhook closed the connection, as it should
        floods = [threading.Thread(target=flood) for _ in range(6)]
        for thread in floods:
            thread.start()
        for _ in range(200):  # the API server waits for 5 s, and then refuses
            try_out(self.api, policy("probe"))
        for thread in floods:
            thread.join()
        self.assertLess(self.serving.resident() - before, 80 << 20)

    @only_long
    def test_rotates_under_load_without_a_lost_call(self):
        before = self.presented()
        with Load(self.api, threads=3) as load:
            # When the secret is lost, a new authority joins the old one, and the rotation follows.
            self.api.request("PATCH", SECRET, [{"op": "remove", "path": "/data"}],
                             "application/json-patch+json")
            self.serving.wait_for("the webhook's certificates changed", step="joins the one in use")
            wait_until("two authorities everywhere",
                       lambda: {len(bundle) for bundle in self.bundles()} == {2})
            trusted = self.bundles()
            self.serving.wait_for("the webhook's certificates changed", timeout=2 * PATIENCE,
                                  step="of the new authority")
            wait_until("the new certificate", lambda: self.presented() != before)
            load.more(100)
        self.assertEqual(load.lost, [])
        self.assertEqual(trusted, self.bundles())
        secret = self.api.get(SECRET)
        self.assertEqual(decoded(secret, "tls.crt").strip(), self.presented().strip())
        print(f"{load.calls} calls, none lost", flush=True)

    def presented(self):
        """The certificate that the webhook presents now."""
        address = urlsplit("https://" + self.serving.address)
        return ssl.get_server_certificate((address.hostname, address.port))

    def bundles(self):
        """The set of the webhooks' CA bundles; it has one element if they agree."""
        texts = {base64.b64decode(webhook["clientConfig"].get("caBundle", "")).decode()
                 for where in CONFIGURATIONS for webhook in self.api.get(where)["webhooks"]}
        return {tuple(re.findall("BEGIN CERTIFICATE(.*?)END", text, re.S)) for text in texts}

    @only_long
    def test_every_replica_serves_with_the_same_certificate(self):
        mine = self.presented()
        other = self.webhook(store=self.store("other.db"))
        self.serving.stop()
        self.serving = other
        self.assertEqual(self.presented(), mine)
        self.assertTrue(answers(self.api))

    def test_mends_what_somebody_changed(self):
        good = self.bundles()
        for where in CONFIGURATIONS:
            self.api.request("PATCH", where,
                             [{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}],
                             "application/json-patch+json")
        wait_until("the authorities to be back", lambda: self.bundles() == good)

    def test_the_program_takes_the_charts_arguments(self):
        stateful_set = self.api.get(path("apps/v1", "statefulsets", RELEASE_NAMESPACE, RELEASE))
        arguments = stateful_set["spec"]["template"]["spec"]["containers"][0]["args"]
        self.assertIn("--webhook-address=:9443", arguments)
        done = ballast(*arguments, "--kubeconfig", "/nowhere/kubeconfig")
        self.assertEqual(done.returncode, 1, done.stderr)  # wrong usage would be 2
        self.assertIn("/nowhere/kubeconfig", done.stderr)

    def test_has_rights_to_its_own_secret_and_configurations_alone(self):
        admission = "admissionregistration.k8s.io"
        for verb, group, resource, name, namespace, allowed in [
            ("get", "", "secrets", f"{RELEASE}-webhook", RELEASE_NAMESPACE, True),
            ("patch", "", "secrets", f"{RELEASE}-webhook", RELEASE_NAMESPACE, True),
            ("get", "", "secrets", "other", RELEASE_NAMESPACE, False),
            ("get", "", "secrets", f"{RELEASE}-webhook", "default", False),
            ("create", "", "secrets", "", RELEASE_NAMESPACE, False),
            ("list", "", "secrets", "", RELEASE_NAMESPACE, False),
            ("patch", admission, "validatingwebhookconfigurations", RELEASE, "", True),
            ("patch", admission, "mutatingwebhookconfigurations", RELEASE, "", True),
            ("patch", admission, "validatingwebhookconfigurations", "other", "", False),
            ("create", admission, "validatingwebhookconfigurations", "", "", False),
            ("list", "", "resourcequotas", "", "default", True),
        ]:
            with self.subTest(f"{verb} {resource} {namespace}/{name}"):
                review = self.api.request(
                    "POST", path("authorization.k8s.io/v1", "subjectaccessreviews"),
                    {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                     "spec": {"user": OPERATOR_USER, "resourceAttributes": {
                         "verb": verb, "group": group, "resource": resource, "name": name,
                         "namespace": namespace}}})
                self.assertEqual(review["status"]["allowed"], allowed)


if __name__ == "__main__":
    unittest.main()
