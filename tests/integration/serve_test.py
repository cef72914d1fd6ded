#!/usr/bin/env python3
"""Tests health, metrics and shutdown of the operator, as kubelets and Prometheus see them."""

import json
import shutil
import signal
import threading
import unittest
from collections import Counter

from support.api import path
from support.long_form import only_long
from support.objects import deployment, override, policy
from support.pages import documented, families, get
from support.process import ballast
from support.proxy import DROP, Rule
from support.sharing_case import SharingCase
from support.waiting import PATIENCE, wait_until


class Hold(Rule):
    """Holds writes of a scale until `pass_on` is set."""

    def __init__(self):
        self.held, self.pass_on = threading.Event(), threading.Event()

    def before(self, request):
        if request.is_for("PATCH", "/scale"):
            self.held.set()
            self.pass_on.wait()


class HangUp(Rule):
    """Drops requests for metrics while `on`."""

    on = True

    def before(self, request):
        return DROP if self.on and request.is_for("GET", "metrics.k8s.io") else None


class ServeTest(SharingCase):
    LOADS = {("serve", "web"): 150, ("grace", "app"): 150,
             ("look", "app"): 150}
    maxDiff = None

    def start(self, *flags, **options):
        """Starts an operator with leader election, waits until it is ready; returns it and its pages' address."""
        return self.start_alone("--leader-elect", "--leader-elect-resource-namespace",
                                self.cluster.release_namespace, "--leader-elect-identity", self.id(), *flags, **options)

    def start_alone(self, *flags, **options):
        """The same without leader election."""
        operator = self.operator("--serve-address", "127.0.0.1:0", *flags, **options)
        operator.wait_ready()
        return operator, operator.lines("serving health and metrics")[0]["address"]

    def lease(self):
        """The path of the lease that who leads holds."""
        return path("coordination.k8s.io/v1", "leases", self.cluster.release_namespace, self.cluster.release)

    def start_held(self, name):
        """Holds a policy's first write of a scale until proxy.rule.pass_on is set. Returns its
        namespace, the proxy that holds it, the operator, and the address of its pages."""
        namespace = self.cluster.namespace(name)
        namespace.apply(deployment("app"), policy("app"))
        proxy = self.make_proxy()
        proxy.rule = Hold()
        self.addCleanup(proxy.rule.pass_on.set)
        operator, address = self.start(kubeconfig=self.cluster.operator_kubeconfig(proxy.server))
        self.assertTrue(proxy.rule.held.wait(PATIENCE))
        return namespace, proxy, operator, address

    def certificate(self):
        """A folder with a certificate to serve with; nobody here verifies it."""
        folder = self.store("certificate")
        folder.mkdir()
        for ending in "crt", "key":
            shutil.copy(self.cluster.dir / f"pki/admin.{ending}", folder / f"tls.{ending}")
        return folder

    def test_metrics_are_those_documented(self):
        serve = self.cluster.namespace("serve")
        serve.apply(deployment("web"), policy("web"))
        proxy = self.make_proxy()
        rule = proxy.rule = HangUp()
        operator, address = self.start(
            "--per-policy-metrics", "--webhook-address", "127.0.0.1:0",
            "--webhook-certificate-dir", self.certificate(),
            kubeconfig=self.cluster.operator_kubeconfig(proxy.server))
        page = lambda: get(address, "/metrics")[1]
        prefix = "horizontal_pod_autoscaler_controller_"
        failed = prefix + ('metric_computation_total{action="none",error="internal",'
                           'metric_type="Resource"} ')
        wait_until("calls made again, and a metric that has failed all the same", lambda: all(
            text in page() for text in ("rest_client_request_retries_total{", failed)))
        rule.on = False
        wait_until("the count of the scale-up",
                   lambda: 'total{action="scale_up",error="none"} 1' in page())
        desired = prefix + 'desired_replicas{namespace="serve",hpa_name="web"} 3'
        wait_until("what the policy wants", lambda: f"\n{desired}\n" in page())
        self.assertEqual(serve.replicas(deployment("web")), 3)
        serve.apply(override("web", floor=2))
        wait_until("the override", lambda: "ballast_override_active" in page())
        text = page()
        self.assertEqual(families(text), documented("docs/operations.md") | documented("docs/prometheus.md"))
        for line in ("ballast_store_healthy 1", f'leader_election_master_status{{name="{self.cluster.release}"}} 1',
                     'workqueue_depth{name="autoscalepolicy",controller="autoscalepolicy"} 0',
                     "certwatcher_read_certificate_errors_total 0",
                     'controller_runtime_webhook_requests_total{webhook="/mutate",code="200"} 0'):
            self.assertIn("\n" + line + "\n", text)
        self.assertRegex(text, prefix + 'metric_computation_total{action="scale_up",error="none",'
                         'metric_type="Resource"} [1-9]')
        self.assertRegex(text, r'rest_client_requests_total{code="200",method="PATCH",host="127.*} \d')
        self.assertEqual(operator.stop(), 0)

    def test_the_feature_gates_follow_the_server_unless_they_are_set(self):
        version = self.api.get("/version")["gitVersion"]
        self.assertRegex(version, r"^v1\.37\.")
        for flags, scale_to_zero in ((), True), (("--feature-gates", "HPAScaleToZero=false"), False):
            with self.subTest(flags):
                operator, _ = self.start(*flags)
                line, = operator.lines("feature gates")
                self.assertEqual(line["serverVersion"], version)
                self.assertEqual(line["HPAScaleToZero"], scale_to_zero)
                self.assertEqual(line["HPAConfigurableTolerance"], True)
                self.assertEqual(operator.stop(), 0)

    def test_threads_have_names(self):
        self.cluster.namespace("named").apply(deployment("app"), policy("app"))
        operator, _ = self.start("--webhook-address", "127.0.0.1:0",
                                 "--webhook-certificate-dir", self.certificate(),
                                 "--concurrent-horizontal-pod-autoscaler-syncs", "2")
        # "calls": cpprestsdk's four threads, and Asio's, which resolves names for them.
        expected = {"ballast": 1, "calls": 5, "certificates": 1, "evaluate-0": 1, "evaluate-1": 1,
                    **{f"write-{number}": 1 for number in range(20)},
                    "events": 1, "leader-elector": 1, "overrides": 1, "pages-io": 1,
                    "pages-work": 2, "sample-looks": 1, "signals": 1, "stalls": 1, "store-writer": 1,
                    "streams-0": 1, "streams-1": 1,
                    **{f"watches-{number}": 1 for number in range(4)},
                    "webhook-io": 1, "webhook-long": 1, "webhook-work": 8}
        # Requests for metrics, for targets that are not watched yet, and for what the API server has
        # now of those and of autoscalers, by their API group: up to four threads each, as many as
        # are needed.
        waiting = {f"{name}-{number}": most for name, most in (("metrics", 1), ("apps", 2), ("ballast", 1))
                   for number in range(4)}
        least = Counter({**expected, "metrics-0": 1, "apps-0": 1, "ballast-0": 1})
        is_expected = lambda threads: least <= threads <= Counter({**expected, **waiting})
        wait_until(lambda: f"threads {expected}: {Counter(operator.threads())}",
                   lambda: is_expected(Counter(operator.threads())))
        self.assertEqual(operator.stop(), 0)

    def debug(self, address):
        status, text = get(address, "/debug")
        self.assertEqual(status, 200)
        return json.loads(text)

    def test_the_debug_page_shows_what_is_under_way(self):
        _, proxy, operator, address = self.start_held("look")

        def in_work():
            # Policies of other tests may be in work too.
            return "asp/look/app" in [work["object"] for work in self.debug(address)["queue"]["inWork"]]

        wait_until("the evaluation whose write is held", in_work)
        proxy.rule.pass_on.set()
        wait_until("its end", lambda: not in_work())
        self.assertEqual(operator.stop(), 0)

    def test_the_debug_page_shows_the_watches(self):
        self.cluster.namespace("watches").apply(deployment("app"), policy("app"))
        proxy = self.make_proxy()
        # Alone, because who cannot renew the lease ends.
        operator, address = self.start_alone(kubeconfig=self.cluster.operator_kubeconfig(proxy.server))
        watches = lambda: self.debug(address)["watches"]
        # The scale was read by a call; the watch of its kind may begin a moment later.
        watching = [(resource, "watching") for resource in (
            "autoscaleoverrides.ballast.dev", "autoscalepolicies.ballast.dev", "deployments.apps", "events",
            "horizontalpodautoscalers.autoscaling", "pods")]
        wait_until("six watches", lambda: watching == sorted(
            (watch["resource"], watch["state"]) for watch in watches()))
        proxy.refuse()
        wait_until("the last error of each watch", lambda: all("lastError" in watch for watch in watches()))
        proxy.accept()
        wait_until("all watches to work again", lambda: all(watch["state"] == "watching" for watch in watches()))
        self.assertEqual(operator.stop(), 0)

    def test_the_log_changes_its_level_and_tells_audit_ids(self):
        # A ServiceAccount without any rights.
        token = self.cluster.kubectl("create", "token", "default", "--namespace",
                                     self.cluster.release_namespace).strip()
        operator = self.operator("--log-level", "warn",
                                 kubeconfig=self.cluster.operator_kubeconfig(token=token))
        refused = operator.wait_for("the API server failed or refused a call", code="Forbidden",
                                    call="pods")
        self.assertRegex(refused["auditId"], "^[0-9a-f-]{36}$")
        self.assertEqual(operator.lines("starting"), [])  # its level is too low
        for word, level in ("initial", "warn"), ("debug", "debug"):
            self.assertEqual(ballast("loglevel", word, "--pid", operator.pid).returncode, 0)
            operator.wait_for("the log level changed", to=level)
        self.assertEqual(operator.stop(), 0)
        self.assertTrue(operator.lines("a part stops"))

    def test_health_says_why(self):
        # The server refuses connections, so the watches get no list.
        proxy = self.make_proxy()
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

    @only_long
    def test_who_gets_no_list_in_time_ends(self):
        proxy = self.make_proxy()
        kubeconfig = self.cluster.operator_kubeconfig(proxy.server)
        proxy.refuse()
        operator = self.operator(kubeconfig=kubeconfig)
        self.assertEqual(operator.wait(3 * PATIENCE), 1)
        end, = operator.lines("the operator ends")
        self.assertIn("there is no first list of kind AutoScalePolicy after 2 minutes",
                      end["error"])
        self.assertIn(proxy.server, end["error"])

    def test_sigterm_finishes_what_is_under_way_and_readyz_fails_first(self):
        grace, proxy, operator, address = self.start_held("grace")
        operator.signal(signal.SIGTERM)
        status, text = wait_until("readyz to fail", lambda: (
            (answer := get(address, "/readyz"))[0] == 503 and answer))
        self.assertIn("[-]shutdown failed: stopping\n", text)
        self.assertEqual(grace.replicas(deployment("app")), 1)  # the write is still on its way
        lease = lambda: self.api.get(self.lease())["spec"]
        last = lease()["renewTime"]
        wait_until("another renewal", lambda: lease()["renewTime"] != last)
        # Nobody else may write before the held write has arrived.
        self.assertEqual(lease().get("holderIdentity"), self.id())
        proxy.rule.pass_on.set()
        self.assertEqual(operator.wait(), 0)
        self.assertEqual(grace.replicas(deployment("app")), 3)
        self.assertTrue(operator.lines("scaled"))
        self.assertNotIn("holderIdentity", lease())

    def test_the_grace_period_and_a_second_sigterm_end_it(self):
        hold = self.cluster.namespace("hold")
        hold.apply(deployment("app"))
        # Who is killed does not give it up, and the next test's operator would wait for its end.
        self.addCleanup(self.api.delete, self.lease())
        proxy = self.make_proxy()
        kubeconfig = self.cluster.operator_kubeconfig(proxy.server)
        for flags, signals in ((), 2), (("--shutdown-grace-period", "1s"), 1):
            hold.apply(policy("app", min_replicas=5 - signals))  # so there is a write to hold
            rule = proxy.rule = Hold()
            self.addCleanup(rule.pass_on.set)
            operator, address = self.start(*flags, kubeconfig=kubeconfig)
            self.assertTrue(rule.held.wait(PATIENCE))
            for _ in range(signals):
                operator.signal(signal.SIGTERM)
                wait_until("readyz to fail", lambda: get(address, "/readyz")[0] != 200)
            ended = operator.wait()
            if signals == 2:
                self.assertEqual(ended, 128 + signal.SIGTERM)
            else:
                self.assertEqual(ended, 1)
                line, = operator.lines("a part did not stop within the grace period; the process exits")
                self.assertEqual(line["part"], "controller")
            rule.pass_on.set()


if __name__ == "__main__":
    unittest.main()
