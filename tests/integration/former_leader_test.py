#!/usr/bin/env python3
"""Stops a leader in the middle of a write until another replica leads: nothing that it had sent or was
about to send is applied after the other's write."""

import signal
import threading
import unittest

from support.api import path
from support.case import ClusterCase
from support.cluster import RELEASE, RELEASE_NAMESPACE
from support.objects import deployment, policy
from support.proxy import Rule
from support.waiting import PATIENCE, wait_until
from support.webhook import FLAGS, SECRET

LEASE = path("coordination.k8s.io/v1", "leases", RELEASE_NAMESPACE, RELEASE)
ELECTION = ("--leader-elect", "--leader-elect-resource-namespace", RELEASE_NAMESPACE)
SECRET_PATH = path("v1", "secrets", *SECRET.split("/"))
CONFIGURATION = path("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations",
                     name=RELEASE)


class StopAt(Rule):
    """Calls `stop` when the operator sends a certain request, which reaches the server once
    `resume` is set. Remembers the answers to writes, except those of the Lease."""

    def __init__(self, method, part, stop):
        self.answers = []  # method and path, and the server's status
        self.stopped, self.resume = threading.Event(), threading.Event()
        self._step, self._stop = (method, part), stop

    def before(self, request):
        if not self.stopped.is_set() and request.is_for(*self._step):
            self._stop()
            self.stopped.set()
            self.resume.wait()

    def after(self, request, status, body):
        if request.method != "GET" and "/leases" not in request.path:
            self.answers.append((f"{request.method} {request.path}", status))


class FormerLeaderTest(ClusterCase):
    APPS = "sent", "told"
    LOADS = {(app, app): 40 for app in APPS}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for app in cls.APPS:
            cls.cluster.namespace(app).apply(deployment(app), policy(app))
        # From now on the API server calls a webhook for policies, where nobody answers.
        cls.cluster.install_chart('webhook.url="https://127.0.0.1:1"')

    def candidate(self, identity, **options):
        return self.operator(*ELECTION, "--leader-elect-identity", identity,
                             "--webhook-address", "127.0.0.1:0", *FLAGS,
                             store=self.store(identity + ".db"), **options)

    def interrupt(self, method, part, provoke, has_written):
        """Stops the leader at that request, which it sends after provoke(). Lets another one lead
        until has_written(), then continues the former leader. Returns the answers to its late
        writes, all of which must have failed."""
        proxy = self.make_proxy()
        first = self.candidate("first", kubeconfig=self.cluster.operator_kubeconfig(proxy.server))
        first.wait_ready()
        wait_until("the webhook to be set up", self.bundle)
        second = self.candidate("second")
        second.wait_for("another replica leads", holder="first")
        rule = proxy.rule = StopAt(method, part, lambda: first.signal(signal.SIGSTOP))
        self.addCleanup(rule.resume.set)
        provoke()
        self.assertTrue(rule.stopped.wait(PATIENCE))
        if method == "GET":
            rule.resume.set()  # the answer waits in its socket
        second.wait_ready()
        wait_until("a write of the second's", has_written)
        before = list(rule.answers)
        rule.resume.set()
        if method != "GET":
            wait_until("the late write", lambda: rule.answers != before)
        first.signal(signal.SIGCONT)
        self.assertEqual(first.wait(), 1)
        self.assertTrue(first.lines("no longer the leader"), first.log[-5:])
        late = rule.answers[len(before):]
        self.assertEqual([answer for answer in late if answer[1] < 400], [])
        self.assertTrue(has_written())
        return late

    def secret(self):
        return (self.api.get(SECRET_PATH) or {}).get("data")

    def bundle(self):
        configuration = self.api.get(CONFIGURATION)
        return all(webhook["clientConfig"].get("caBundle")
                   for webhook in configuration["webhooks"])

    def lose_bundle(self):
        configuration = self.api.get(CONFIGURATION)
        for webhook in configuration["webhooks"]:
            webhook["clientConfig"].pop("caBundle")
        self.api.request("PUT", CONFIGURATION, configuration)

    def memory(self, name):
        """The status memory, with its writer and the writer's term."""
        status = self.api.get(path("ballast.dev/v1alpha1", "autoscalepolicies", name, name,
                                   "status"))["status"]
        return status.get("memory", {})

    def test_a_scale_under_way(self):
        late = self.interrupt(
            "PATCH", "/scale", lambda: self.load.set("sent", 240),
            lambda: [write.to for write in self.cluster.scale_writes("sent")] == [5])
        self.assertIn(late[0][1], (409, 422))

    def test_a_status_under_way(self):
        late = self.interrupt(
            "PATCH", "/autoscalepolicies/told/status", lambda: self.load.set("told", 240),
            lambda: self.memory("told").get("writer", "").endswith(str(self.store("second.db"))))
        self.assertEqual(late[0][1], 409)
        lease = self.api.get(LEASE)
        self.assertEqual(self.memory("told")["term"], lease["spec"]["leaseTransitions"])

    def test_a_secret_about_to_be_written(self):
        self.interrupt("GET", SECRET_PATH, lambda: self.api.merge(SECRET_PATH, {"data": None}),
                       self.secret)

    def test_a_secret_under_way(self):
        late = self.interrupt("PATCH", SECRET_PATH,
                              lambda: self.api.merge(SECRET_PATH, {"data": None}), self.secret)
        self.assertEqual(late[0][1], 409)

    def test_a_webhook_configuration_under_way(self):
        late = self.interrupt("PATCH", CONFIGURATION, self.lose_bundle, self.bundle)
        self.assertIn(late[0][1], (409, 422))

    def tearDown(self):
        # The next test starts with a lease that nobody holds.
        self.doCleanups()
        self.api.request("DELETE", LEASE)


if __name__ == "__main__":
    unittest.main()
