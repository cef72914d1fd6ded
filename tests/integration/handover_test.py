#!/usr/bin/env python3
"""Tests that no review is lost while two replicas of the webhook behind one address are replaced,
one after the other, under load."""

import signal
import unittest

from support.case import ClusterCase
from support.cluster import RELEASE_NAMESPACE
from support.objects import policy
from support.pages import get, samples
from support.waiting import wait_until
from support.webhook import FLAGS, Call, Load, Service, answers


class HandoverTest(ClusterCase):
    VALUES = ('webhook.url="https://127.0.0.1:1"',)

    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)

    def replica(self, name):
        """Starts a replica, waits until it is ready, and adds it to the service."""
        operator = self.operator(
            "--serve-address", "127.0.0.1:0", "--webhook-address", "127.0.0.1:0", *FLAGS,
            "--leader-elect", "--leader-elect-resource-namespace", RELEASE_NAMESPACE,
            "--leader-elect-identity", name, store=self.store(name + ".db"))
        operator.pages = operator.wait_for("serving health and metrics")["address"]
        operator.webhook = operator.wait_for("the webhook listens")["address"]
        ready = lambda: get(operator.pages, "/readyz")[0] == 200
        wait_until(f"{name} to be ready", ready)
        self.service.add(operator.webhook, ready)
        return operator

    def test_no_review_is_lost_while_replicas_are_replaced(self):
        replicas = {name: self.replica(name) for name in ("first", "second")}
        self.cluster.install_chart(f'webhook.url="https://{self.service.address}"')
        wait_until("the API server to believe the webhook", lambda: answers(self.api))
        with Load(self.api, threads=4) as load:
            for name in list(replicas):
                self.replace(replicas, name)
                load.more(100)
        self.assertEqual(load.lost, [])
        print(f"{load.calls} calls, none lost", flush=True)

    def replace(self, replicas, name):
        leaving = replicas[name]
        reviews = lambda: sum(count for of, count in samples(
            get(leaving.pages, "/metrics")[1], "controller_runtime_webhook_requests_total")
            if of == {"webhook": "/validate", "code": "200"})
        wait_until(f"{name} to have its share", lambda: reviews() > 20)
        begun = Call(leaving.webhook, policy("begun"))
        leaving.signal(signal.SIGTERM)
        status, text = wait_until("readyz to fail", lambda: (
            (answer := get(leaving.pages, "/readyz"))[0] == 503 and answer))
        self.assertIn("[-]shutdown failed: stopping\n", text)
        # It finishes reviews that have begun, and answers clients that still connect.
        self.assertTrue(begun.finish().allowed)
        self.late(leaving.webhook)
        self.assertEqual(leaving.wait(), 0)
        with self.assertRaises(ConnectionRefusedError):
            Call(leaving.webhook, policy("too-late"))
        replicas[name] = self.replica(name)

    def late(self, address):
        """New connections are answered, also once the answers ask to close the connection."""
        def asked_to_close():
            answer = Call(address, policy("late")).finish()
            self.assertTrue(answer.allowed)
            return answer.closes
        wait_until("a connection to be asked to close", asked_to_close, interval=0)
        self.assertTrue(asked_to_close())


if __name__ == "__main__":
    unittest.main()
