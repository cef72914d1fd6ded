#!/usr/bin/env python3
"""Tests errors of users, networks and API servers: each is reported clearly and harms nothing
else."""

import json
import time
import unittest

from support.ledger import history
from support.long_form import LONG, only_long
from support.objects import condition, deployment, hpa, namespaced, policy
from support.proxy import DROP, Answer, Proxy, Rule, status_answer
from support.sharing_case import SharingCase
from support.waiting import wait_until


def without_request(target):
    """Removes the resource requests from the target's pods."""
    del target["spec"]["template"]["spec"]["containers"][0]["resources"]
    return target


def paused(target):
    """Pauses the target, so that it has no pods."""
    target["spec"]["paused"] = True
    return target


def wrong(about, target, condition_, reason, *texts):
    """A row: a policy on `target`, and texts that its condition, event and log line must have."""
    return about, target, condition_, reason, texts


WRONG_POLICIES = [
    wrong("no-target", deployment("absent"), "AbleToScale", "FailedGetScale",
          'deployments.apps "absent" not found'),
    wrong("no-scale", namespaced("rbac.authorization.k8s.io/v1", "Role", "settings"),
          "AbleToScale", "FailedGetScale", "Role", "no scale subresource", "name a Deployment"),
    wrong("no-kind", namespaced("example.com/v1", "Unheard", "web"), "AbleToScale",
          "FailedGetScale", "Unheard", "example.com"),
    wrong("no-pods", paused(deployment("empty")), "ScalingActive", "FailedGetResourceMetric",
          "no pods"),
    wrong("no-metrics", deployment("silent"), "ScalingActive", "FailedGetResourceMetric",
          "no metrics returned"),
    wrong("no-request", without_request(deployment("greedy")), "ScalingActive",
          "FailedGetResourceMetric", "missing request for cpu", "greedy"),
]


def lie(body, status=200, content_type="application/json", cut=None):
    return Answer(body if isinstance(body, bytes) else json.dumps(body).encode(), status,
                  content_type, cut)


def pod_metrics(usage, timestamp="2020-01-01T00:00:00Z", **metadata):
    return {"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "items": [{
        "metadata": {"name": "web", "namespace": "lied-to"} | metadata, "timestamp": timestamp,
        "window": "1s", "containers": [{"name": "app", "usage": usage}]}]}


LIES = {
    "a page in HTML": lie(b"<html><body>Sign in</body></html>", content_type="text/html"),
    "no body": lie(b""),
    "not JSON": lie(b'{"kind": "PodMetricsList", "items": [}'),
    "half an answer": lie(pod_metrics({"cpu": "1"}), cut=60),
    "no answer": DROP,
    "another kind": lie({"kind": "PodList", "apiVersion": "v1", "items": "many"}),
    "a quantity that is none": lie(pod_metrics({"cpu": "a lot"})),
    "ten thousand brackets": lie(b"[" * 10_000 + b"]" * 10_000),
    "broken UTF-8": lie(b'{"kind": "PodMetricsList", "items": [{"metadata": {"name": "\xff\xfe"}}]}'),
    "a server that is ill": status_answer(500, "InternalError", "etcd is on fire"),
    "a server that has enough": status_answer(429, "TooManyRequests", "slow down"),
}


# Of these, and of the lost answers to writes, two show in every run that errors come through to the user; how
# each is understood, unit tests tell.
if not LONG:
    LIES = {about: LIES[about] for about in ("a page in HTML", "no answer")}


class Lie(Rule):
    """Answers the requests that `about` matches with `answer`, before the server sees them or, with
    `forward`, after it has acted; counts them."""

    def __init__(self, about, answer, forward=False):
        self.about, self.answer, self.forward, self.told = about, answer, forward, 0

    def before(self, request):
        return None if self.forward else self.tell(request)

    def after(self, request, status, body):
        return self.tell(request) if self.forward else None

    def tell(self, request):
        if not self.about(request):
            return None
        self.told += 1
        return self.answer


class Expired(Rule):
    """Rejects one token."""

    def __init__(self, token):
        self.token = token

    def before(self, request):
        return status_answer(401, "Unauthorized", "Unauthorized") \
            if request.token == self.token else None


class BadInputTest(SharingCase):
    LOADS = {
        ("wrong", "healthy"): 40, ("shared", "web"): 140, ("shared", "owned"): 140,
        ("wrong", "greedy"): 40, ("wrong", "empty"): 40,
        ("unreachable", "far"): 140, ("lied-to", "fooled"): 140, ("truthful", "honest"): 40,
        ("lost", "answer"): 40, ("expired", "guest"): 140, ("metricless", "blind"): 140,
        ("keda", "keda"): 140,
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = Proxy(cls.cluster.server, cls.cluster.api.context(cls.cluster.ca))
        cls.addClassCleanup(cls.proxy.close)
        cls.via_proxy = cls.cluster.operator_kubeconfig(cls.proxy.server)

    def setUp(self):
        self.proxy.rule = Rule()
        self.proxy.accept()

    def wait_for_replicas(self, namespace, name, count):
        wait_until(lambda: f"{name} at {count}: {namespace.policy(name).get('status')}",
                   lambda: namespace.replicas(deployment(name)) == count)

    def wait_for_condition(self, namespace, name, type_, status, reason="", *texts):
        def probe():
            found = condition(namespace.policy(name), type_)
            return (found["status"] == status and reason in found["reason"]
                    and all(text in found["message"] for text in texts)) and found
        return wait_until(lambda: f"{type_}={status} {reason} {texts} of {name}; it has "
                          f"{namespace.policy(name).get('status')}", probe)

    def wait_for_event(self, namespace, name, *texts):
        wait_until(lambda: f"an event {texts} about {name}; there are "
                   f"{[(e['reason'], e.get('note')) for e in namespace.events(name)]}",
                   lambda: [e for e in namespace.events(name) if e["type"] == "Warning"
                            and all(text in e.get("note", "") for text in texts)])

    def test_wrong_policies_harm_only_themselves(self):
        space = self.cluster.namespace("wrong")
        space.apply(deployment("healthy"), policy("healthy"))
        for about, target, *_ in WRONG_POLICIES:
            if target["kind"] != "Unheard" and target["metadata"]["name"] != "absent":
                space.apply(target)
            space.apply(policy(about, target))
        operator = self.operator("--namespace", "wrong").wait_ready()
        for about, target, type_, reason, texts in WRONG_POLICIES:
            with self.subTest(about):
                self.wait_for_condition(space, about, type_, "False", reason, *texts)
                self.wait_for_condition(space, about, "Ready", "False", "", *texts)
                self.wait_for_event(space, about, *texts)
                operator.wait_for("an autoscaler has a problem", autoscaler=f"asp/wrong/{about}",
                                  problem=texts[0])
        # Another policy continues to be evaluated.
        self.load.set("healthy", 140)
        self.wait_for_replicas(space, "healthy", 3)
        self.load.set("healthy", 40)
        self.wait_for_replicas(space, "healthy", 1)
        self.assertEqual({w.target for w in self.wait_for_writes("wrong")}, {"healthy"})

    def test_of_two_autoscalers_one_yields(self):
        shared = self.cluster.namespace("shared")
        web, owned = deployment("web"), deployment("owned")
        shared.apply(web, owned, policy("web"))
        # creationTimestamp has whole seconds.
        born = time.time()
        wait_until("the next second", lambda: time.time() > born + 1.1)
        shared.apply(policy("younger", web), hpa("native", owned), policy("owned"))
        operator = self.operator("--namespace", "shared").wait_ready()
        for name, rival in (("younger", "shared/web"), ("owned", "shared/native")):
            with self.subTest(name):
                self.wait_for_condition(shared, name, "Conflicted", "True", "", rival, "delete")
                self.wait_for_condition(shared, name, "Ready", "False")
                self.wait_for_event(shared, name, rival)
                operator.wait_for("an autoscaler is not evaluated", autoscaler=f"asp/shared/{name}",
                                  message=rival)
        self.wait_for_replicas(shared, "web", 3)
        self.assertEqual(shared.replicas(owned), 1)
        # The remedy that the message names works at once.
        self.api.delete(shared.path(hpa("native", owned)))
        self.wait_for_replicas(shared, "owned", 3)
        self.wait_for_condition(shared, "owned", "Ready", "True")
        self.assertEqual(condition(shared.policy("owned"), "Conflicted")["status"], "")

    @only_long  # the garbage collector learns of a new kind within half a minute
    def test_a_policy_yields_to_the_hpa_of_a_scaled_object(self):
        """KEDA does not run: the test makes the HPA that KEDA would make, of a kind of that name."""
        keda = self.cluster.namespace("keda")
        self.cluster.define({"ScaledObject": "scaledobjects"})
        owner = namespaced("example.com/v1", "ScaledObject", "web")
        keda.apply(owner, deployment("keda"))
        made = hpa("keda-hpa-web", deployment("keda"))
        made["metadata"]["ownerReferences"] = [{
            "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": "web",
            "uid": keda.get(owner)["metadata"]["uid"], "controller": True}]
        keda.apply(made, policy("keda"))
        self.operator("--namespace", "keda").wait_ready()
        self.wait_for_condition(
            keda, "keda", "Conflicted", "True", "", "keda/keda-hpa-web of ScaledObject web",
            "a policy yields to it: delete the ScaledObject web")
        self.wait_for_condition(keda, "keda", "Ready", "False")
        self.assertEqual(keda.replicas(deployment("keda")), 1)
        # The remedy that the message names: the HPA goes with its owner.
        self.api.delete(keda.path(owner))
        self.wait_for_replicas(keda, "keda", 3)
        self.wait_for_condition(keda, "keda", "Ready", "True")
        self.assertEqual(condition(keda.policy("keda"), "Conflicted")["status"], "")

    def test_an_api_server_that_cannot_be_reached(self):
        far = self.cluster.namespace("unreachable")
        far.apply(deployment("far"), policy("far"))
        self.proxy.refuse()
        operator = self.operator("--namespace", "unreachable", kubeconfig=self.via_proxy)
        wait_until("a complaint", lambda: [
            line for line in operator.log if line["level"] != "info"
            and self.proxy.server.removeprefix("http://") in str(line)])
        self.proxy.accept()
        operator.wait_ready()
        self.wait_for_replicas(far, "far", 3)

        known = len(operator.lines("an autoscaler has a problem"))
        self.proxy.refuse()  # first, or else it could see the load
        self.load.set("far", 190)
        wait_until("a complaint", lambda: len(operator.lines("an autoscaler has a problem")) > known)
        self.assertEqual(far.replicas(deployment("far")), 3)
        self.proxy.accept()
        self.wait_for_replicas(far, "far", 4)
        operator.wait_for("an autoscaler works again")
        self.assertEqual(operator.stop(), 0)

    def test_lying_metrics(self):
        lied_to, truthful = self.cluster.namespace("lied-to"), self.cluster.namespace("truthful")
        lied_to.apply(deployment("fooled"), policy("fooled", min_replicas=1))
        truthful.apply(deployment("honest"), policy("honest"))
        operator = self.operator("--namespace", "lied-to", "--namespace", "truthful",
                                 kubeconfig=self.via_proxy).wait_ready()
        self.wait_for_replicas(lied_to, "fooled", 3)
        asked = lambda request: "/namespaces/lied-to/pods" in request.path \
            and "metrics.k8s.io" in request.path
        rule = self.proxy.rule = Lie(asked, next(iter(LIES.values())))
        wait_until("a lie, after which no truth is on its way", lambda: rule.told)
        self.load.set("fooled", 20)  # a metric that fails must not lower the count
        for turn, (about, answer) in enumerate(LIES.items()):
            with self.subTest(about):
                rule = self.proxy.rule = Lie(asked, answer)
                wait_until("two lies", lambda: rule.told >= 2)
                found = self.wait_for_condition(lied_to, "fooled", "ScalingActive", "False",
                                                "FailedGetResourceMetric")
                self.assertNotIn("Bearer", found["message"])
                self.assertEqual(lied_to.replicas(deployment("fooled")), 3)
                # Policies elsewhere continue to scale.
                self.load.set("honest", 40 + 50 * (turn % 2 + 1))
                self.wait_for_replicas(truthful, "honest", turn % 2 + 2)
        self.proxy.rule = Rule()
        operator.wait_for("an autoscaler works again", autoscaler="asp/lied-to/fooled")
        self.wait_for_condition(lied_to, "fooled", "ScalingActive", "True")
        self.wait_for_replicas(lied_to, "fooled", 1)

    def test_answers_to_the_scale_write_that_say_nothing(self):
        lost = self.cluster.namespace("lost")
        lost.apply(deployment("answer"), policy(
            "answer", max_replicas=30, behavior={"scaleUp": {"tolerance": "0.01"}}))
        operator = self.operator("--namespace", "lost", kubeconfig=self.via_proxy).wait_ready()
        writes = lambda request: request.is_for("PATCH", "/deployments/answer/scale")
        count = 1
        answers = {"garbage": lie(b"<html>"), "another object": lie({"kind": "Status"}),
                   "nothing": DROP, "half": lie({"kind": "Scale", "spec": {}}, cut=8),
                   "conflict": status_answer(409, "Conflict", "try again")}
        for about, answer in answers.items() if LONG else [("nothing", DROP)]:
            # A conflict means that nothing was written; no API server returns it after a write.
            for forward in (False,) if about == "conflict" else (False, True):
                with self.subTest(about, written=forward):
                    rule = self.proxy.rule = Lie(writes, answer, forward)
                    count += 1
                    self.load.set("answer", 50 * count - 10)
                    wait_until("the lie", lambda: rule.told)
                    self.proxy.rule = Rule()
                    self.wait_for_replicas(lost, "answer", count)
        operator.stop()
        # The ledger knows in each case whether the scale was written.
        records = history(self.store(), "lost", "answer")
        self.assertEqual(records.open(), [])
        self.wait_for_writes("lost", *((record.from_, record.to) for record in records.written()))

    def test_a_token_that_expires(self):
        expired = self.cluster.namespace("expired")
        expired.apply(deployment("guest"), policy("guest"))
        token = self.cluster.folder / "token"
        token.write_text("never.was.valid")
        operator = self.operator("--namespace", "expired", kubeconfig=self.cluster.
                                 operator_kubeconfig(self.proxy.server, token_file=token))
        wait_until(lambda: f"a word about the credentials: {operator.log}", lambda: [
            line for line in operator.log if "nauthorized" in str(line)])
        short_lived = self.cluster.token()
        token.write_text(short_lived)
        operator.wait_ready()
        self.wait_for_replicas(expired, "guest", 3)

        self.proxy.rule = Expired(short_lived)
        self.load.set("guest", 190)
        operator.wait_for("an autoscaler has a problem", problem="nauthorized")
        self.assertEqual(expired.replicas(deployment("guest")), 3)
        token.write_text(self.cluster.token())
        operator.wait_for("an autoscaler works again")
        self.wait_for_replicas(expired, "guest", 4)
        for secret in ("never.was.valid", short_lived):
            self.assertNotIn(secret, str(operator.log))

    @only_long
    def test_no_metrics_api_installed(self):
        metricless = self.cluster.namespace("metricless")
        cautious = policy("cautious", fallback={"afterSeconds": 2, "replicas": 4})
        metricless.apply(deployment("blind", replicas=2), policy("blind"), deployment("cautious"),
                         cautious)
        # What an API server answers for a group that it does not have.
        self.proxy.rule = Lie(lambda request: "/metrics.k8s.io/" in request.path,
                              lie(b"404 page not found\n", 404, "text/plain; charset=utf-8"))
        operator = self.operator("--namespace", "metricless", kubeconfig=self.via_proxy).wait_ready()
        self.wait_for_condition(metricless, "blind", "ScalingActive", "False",
                                "FailedGetResourceMetric", "metrics.k8s.io")
        operator.wait_for("an autoscaler has a problem", autoscaler="asp/metricless/blind",
                          problem="metrics.k8s.io")
        self.wait_for_event(metricless, "blind", "metrics.k8s.io")
        self.wait_for_replicas(metricless, "cautious", 4)
        self.wait_for_condition(metricless, "cautious", "Held", "True", "Fallback",
                                "No metric has given a value since")
        self.assertEqual(metricless.replicas(deployment("blind")), 2)
        self.proxy.rule = Rule()
        self.wait_for_replicas(metricless, "blind", 3)

    def test_a_kubeconfig_that_is_none(self):
        file = self.cluster.folder / "nonsense"
        for about, text, complaint in [("not YAML", "{[", ""), ("no cluster", "{}", "context")]:
            with self.subTest(about):
                file.write_text(text)
                operator = self.operator(kubeconfig=file)
                self.assertEqual(operator.wait(), 1)
                said = str(operator.log)
                self.assertIn(str(file), said)
                self.assertIn(complaint, said)


if __name__ == "__main__":
    unittest.main()
