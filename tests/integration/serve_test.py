#!/usr/bin/env python3
"""Health, metrics and the end of the operator, as kubelets and Prometheus see them."""

import http.client
import re
import signal
import threading
import unittest

from support.api import path
from support.case import ClusterCase
from support.cluster import ROOT, RELEASE_NAMESPACE
from support.objects import deployment, policy
from support.proxy import Proxy, Rule
from support.waiting import wait_until

# Appear only when there is something to count.
RARE = {"rest_client_request_retries_total", "controller_runtime_webhook_latency_seconds",
        "controller_runtime_webhook_requests_in_flight", "controller_runtime_webhook_requests_total"}


class Hold(Rule):
    """Keeps a scale write on its way until `pass_on` is set."""

    def __init__(self):
        self.held, self.pass_on = threading.Event(), threading.Event()

    def before(self, request):
        if request.is_for("PATCH", "/scale"):
            self.held.set()
            self.pass_on.wait()


def get(address, page):
    """Status and text of a page; None when nobody listens."""
    connection = http.client.HTTPConnection(address, timeout=10)
    try:
        connection.request("GET", page)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except OSError:
        return None
    finally:
        connection.close()


def families(text):
    """{name: (type, labels)} of a page in Prometheus' text format."""
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    found = {}
    for name, labels in re.findall(r"^([a-z_]+)(?:{(.*)})? \S+$", text, re.M):
        family = name if name in types else re.sub("_(bucket|sum|count)$", "", name)
        names = re.findall(r'([a-z]+)="(?:[^"\\]|\\.)*"', labels)
        found[family] = (types[family], tuple(n for n in names if n != "le"))
    return found


def documented():
    """The same, of the table in docs/operations.md."""
    table = (ROOT / "docs/operations.md").read_text().split("## Metrics")[1]
    return {name: (kind, tuple(filter(None, labels.strip().split(", "))))
            for name, kind, labels in re.findall(r"^\| `(\w+)` \| (\w+) \|(.*?)\|", table, re.M)}


class ServeTest(ClusterCase):
    LOADS = {("serve", "web"): 150, ("grace", "app"): 150}

    def start(self, *flags, **options):
        """A ready operator and the address of its pages."""
        operator = self.operator("--serve-address", "127.0.0.1:0", "--leader-elect",
                                 "--leader-elect-resource-namespace", RELEASE_NAMESPACE,
                                 "--leader-elect-identity", self.id(), *flags, **options)
        operator.wait_ready()
        return operator, operator.lines("serving health and metrics")[0]["address"]

    def test_metrics_are_those_documented(self):
        serve = self.cluster.namespace("serve")
        serve.apply(deployment("web"), policy("web"))
        operator, address = self.start()
        wait_until("three replicas", lambda: serve.replicas(deployment("web")) == 3)
        wait_until("the count of it", lambda: 'total{action="scale_up",error="none"} 1'
                   in get(address, "/metrics")[1])
        text = get(address, "/metrics")[1]
        served, told = families(text), documented()
        for name in RARE - set(served):
            self.assertIn(name, told)
            del told[name]
        self.assertEqual(served, told)
        for line in ("ballast_store_healthy 1", 'leader_election_master_status{name="ballast"} 1',
                     'workqueue_depth{name="autoscalepolicy",controller="autoscalepolicy"} 0'):
            self.assertIn("\n" + line + "\n", text)
        self.assertRegex(text, r'rest_client_requests_total{code="200",method="PATCH",host="127.*} \d')
        self.assertEqual(operator.stop(), 0)

    def test_health_says_why(self):
        # No such server: the watches never fill.
        proxy = Proxy(self.cluster.server, self.cluster.api.context(self.cluster.ca))
        self.addCleanup(proxy.close)
        kubeconfig = self.cluster.operator_kubeconfig(proxy.server)
        proxy.refuse()
        operator = self.operator("--serve-address", "127.0.0.1:0", kubeconfig=kubeconfig)
        address = operator.wait_for("serving health and metrics")["address"]
        status, text = get(address, "/readyz")
        self.assertEqual(status, 503)
        self.assertIn("[-]watches failed: there is no first list of kind AutoScalePolicy\n", text)
        self.assertIn("[+]shutdown ok\n", text)
        self.assertEqual(get(address, "/livez"), (200, "ok"))
        proxy.accept()
        operator.wait_ready()
        self.assertEqual(get(address, "/readyz"), (200, "ok"))
        self.assertIn("[+]controller ok\n", get(address, "/livez?verbose")[1])
        self.assertEqual(operator.stop(), 0)

    def test_sigterm_finishes_what_is_under_way_and_readyz_fails_first(self):
        grace = self.cluster.namespace("grace")
        grace.apply(deployment("app"), policy("app"))
        proxy = Proxy(self.cluster.server, self.cluster.api.context(self.cluster.ca))
        self.addCleanup(proxy.close)
        rule = proxy.rule = Hold()
        self.addCleanup(rule.pass_on.set)
        operator, address = self.start(kubeconfig=self.cluster.operator_kubeconfig(proxy.server))
        self.assertTrue(rule.held.wait(60))
        operator.signal(signal.SIGTERM)
        status, text = wait_until("readyz to fail", lambda: (
            (answer := get(address, "/readyz"))[0] == 503 and answer))
        self.assertIn("[-]shutdown failed: stopping\n", text)
        self.assertEqual(grace.replicas(deployment("app")), 1)  # the write is still on its way
        rule.pass_on.set()
        self.assertEqual(operator.wait(), 0)
        self.assertEqual(grace.replicas(deployment("app")), 3)
        self.assertTrue(operator.lines("scaled"))
        lease = self.api.get(path("coordination.k8s.io/v1", "leases", RELEASE_NAMESPACE, "ballast"))
        self.assertNotIn("holderIdentity", lease["spec"])

    def test_the_grace_period_and_a_second_sigterm_end_it(self):
        hold = self.cluster.namespace("hold")
        hold.apply(deployment("app"))
        proxy = Proxy(self.cluster.server, self.cluster.api.context(self.cluster.ca))
        self.addCleanup(proxy.close)
        kubeconfig = self.cluster.operator_kubeconfig(proxy.server)
        for flags, signals in ((), 2), (("--shutdown-grace-period", "1s"), 1):
            hold.apply(policy("app", min_replicas=5 - signals))  # so there is a write to hold
            rule = proxy.rule = Hold()
            self.addCleanup(rule.pass_on.set)
            operator, address = self.start(*flags, kubeconfig=kubeconfig)
            self.assertTrue(rule.held.wait(60))
            for _ in range(signals):
                operator.signal(signal.SIGTERM)
                wait_until("readyz to fail", lambda: (get(address, "/readyz") or [503])[0] == 503)
            ended = operator.wait(30)
            if signals == 2:
                self.assertEqual(ended, 128 + signal.SIGTERM)
            else:
                self.assertEqual(ended, 1)
                line, = operator.lines("not stopped in time; the program ends all the same")
                self.assertEqual(line["part"], "controller")
            rule.pass_on.set()


if __name__ == "__main__":
    unittest.main()
