#!/usr/bin/env python3
"""Tests the alerts: with promtool, which of them fire when; and with a real operator and a real
Prometheus, that a real cause makes them fire, and that the command in their text finds it. Tests
the dashboard's queries too."""

import itertools
import json
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from support.alerts import run_command
from support.case import ClusterCase
from support.cluster import CHART, RELEASE, RELEASE_NAMESPACE, SKIPPED, Skipped
from support.objects import deployment, namespaced, override, pod_template, policy
from support.pages import get
from support.prometheus import Prometheus, program
from support.waiting import wait_until

IMAGE = 'image.repository="r"'
RULE = "metrics.prometheusRule.enabled=true"
COUNT = 'ballast_autoscalers{kind="AutoScalePolicy",mode="%s",condition="%s",reason="%s"}'


def autoscalers(condition, reason, mode="Active"):
    return COUNT % (mode, condition, reason)


LEADER = 'leader_election_master_status{name="ballast",pod="%s"}'
LEADS = (LEADER % "ballast-0", "1x2000")
SOURCE = 'ballast_metric_source_%s{source="main",pod="%s"}'
ASKED = (SOURCE % ("queries_total", "ballast-0"), "0+4x40")
BEGIN = "ballast_store_history_begin_timestamp_seconds"
MAX_AGE = ("ballast_store_history_max_age_seconds", "2592000x600")
# Alert, series (one value a minute), the last minute without it, and the first with it; None: never.
ENDS = 'ballast_override_expires_timestamp_seconds{kind="AutoScalePolicy",type="hold",length="%s"}'
TIMES = [
    ("BallastPinnedAtMax", [(autoscalers("ScalingLimited", "TooManyReplicas"), "1x60")], 29, 30),
    ("BallastPinnedAtMax", [(autoscalers("ScalingLimited", "TooFewReplicas"), "1x60")], 60, None),
    ("BallastPinnedAtMax", [(autoscalers("ScalingLimited", "TooManyReplicas"), "1x20 0x10 1x29")],
     59, None),
    ("BallastMetricsMissing", [(autoscalers("ScalingActive", "FailedGetResourceMetric"), "2x60")], 14, 15),
    ("BallastMetricsMissing", [(autoscalers("ScalingActive", "ValidMetricFound"), "2x60"),
                               (autoscalers("ScalingActive", "ScalingDisabled"), "2x60"),
                               (autoscalers("ScalingActive", "ZeroBySchedule"), "2x60")], 60, None),
    ("BallastSourceDown", [(SOURCE % ("up", "ballast-0"), "1x5 0x30"), ASKED,
                           (SOURCE % ("last_answer_timestamp_seconds", "ballast-0"), "0+60x5 300x30")], 14, 15),
    ("BallastSourceDown", [(SOURCE % ("up", "ballast-0"), "0x30"), ASKED,
                           (SOURCE % ("up", "ballast-1"), "1x30")], 30, None),
    # Somebody's slow queries, between those that are answered.
    ("BallastSourceDown", [(SOURCE % ("up", "ballast-0"), "0x30"), ASKED,
                           (SOURCE % ("last_answer_timestamp_seconds", "ballast-0"), "0+60x30")], 30, None),
    ("BallastSourceDown", [(SOURCE % ("up", "ballast-0"), "0x30"),
                           (SOURCE % ("queries_total", "ballast-0"), "9x30")], 30, None),
    ("BallastCannotScale", [(autoscalers("AbleToScale", "FailedGetScale"), "1x60")], 14, 15),
    ("BallastCannotScale", [(autoscalers("AbleToScale", "SucceededRescale"), "1x60")], 60, None),
    ("BallastHeld", [(autoscalers("Held", "Paused"), "1x1000")], 719, 720),
    ("BallastHeld", [(autoscalers("Held", "Active"), "1x1000"),
                     (autoscalers("Held", "HeldBySchedule"), "1x1000"),
                     (autoscalers("Held", "DryRun", "DryRun"), "1x1000"),
                     (autoscalers("Held", "Disabled", "Disabled"), "1x1000")], 1000, None),
    ("BallastOverrideEnds", [(ENDS % "long", "1800x60")], 16, 17),
    ("BallastOverrideEnds", [(ENDS % "long", "9000x60")], 60, None),
    ("BallastOverrideEnds", [(ENDS % "short", "600x9"), (ENDS % "long", "9000x60")], 60, None),
    ("BallastOverrideEnds", [(ENDS % "short", "1500x24"), (ENDS % "long", "1800x60")], 16, 17),
    ("BallastConflicted", [(autoscalers("Conflicted", "TugOfWar"), "1x60")], 14, 15),
    ("BallastHistoryDegraded", [("ballast_store_healthy", "0x30")], 4, 5),
    ("BallastHistoryDegraded", [("ballast_store_replaced", "1x30")], 4, 5),
    ("BallastHistoryDegraded", [("ballast_store_records_dropped", "0x3 5x30")], 4, 10),
    ("BallastHistoryDegraded", [("ballast_store_healthy", "1x30"), ("ballast_store_replaced", "0x30"),
                                ("ballast_store_records_dropped", "7x30")], 30, None),
    ("BallastHistoryShort", [(BEGIN, "864000+60x600"), MAX_AGE], 59, 62),
    ("BallastHistoryShort", [(BEGIN, "0x30 864000x600"), MAX_AGE], 600, None),  # all is there
    ("BallastHistoryShort", [(BEGIN, "-2000000+60x600"), MAX_AGE], 600, None),  # by age
    ("BallastCacheOld", [('ballast_watch_silence_seconds{resource="pods"}', "60+60x20")], 3, 5),
    ("BallastCacheOld", [('ballast_watch_silence_seconds{resource="pods"}', "100x20")], 20, None),
    ("BallastNobodyLeads", [(LEADER % "ballast-0", "0x20"), (LEADER % "ballast-1", "0x20")], 4, 5),
    ("BallastNobodyLeads", [], 4, 5),
    ("BallastNobodyLeads", [LEADS, (LEADER % "ballast-1", "0x20")], 20, None),
    ("BallastCertificateExpires",
     [("ballast_webhook_certificate_end_timestamp_seconds", "604000x100")], 59, 60),
    ("BallastCertificateExpires",
     [("ballast_webhook_certificate_end_timestamp_seconds", "700000x100")], 100, None),
]


def rules_of(rendered):
    """The rules file in a PrometheusRule as helm renders it."""
    return textwrap.dedent(re.search(r"^kind: PrometheusRule\n.*?^spec:\n(.*?)(?=^---|\Z)", rendered,
                                     re.M | re.S)[1])


def promtool_test(number, alert, series, before, after):
    """A test in promtool's format. Both times are minutes after the start."""
    def expect(minute, count):
        return {"expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) or vector(0)',
                "eval_time": f"{minute}m", "exp_samples": [{"labels": "{}", "value": count}]}
    return {"name": f"{number}: {alert}", "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series],
            "promql_expr_test": [expect(before, 0)] + ([expect(after, 1)] if after else [])}


class AlertsTest(ClusterCase):
    LOADS = {("alerts", "full"): 2000, ("alerts", "fine"): 50, ("alerts", "shared"): 50,
             ("alerts", "paused"): 50}

    def promtool(self, *words):
        done = subprocess.run([program("promtool"), *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_fire_in_time_and_not_before(self):
        self.assertEqual({alert for alert, _, _, after in TIMES if after},
                         set(re.findall(r"^- alert: (\w+)", (CHART / "files/alerts.yaml").read_text(), re.M)))
        with tempfile.TemporaryDirectory() as folder:
            rules, tests = Path(folder, "rules.yaml"), Path(folder, "tests.yaml")
            rules.write_text(rules_of(self.cluster.render_chart(IMAGE, RULE)))
            tests.write_text(json.dumps({
                "rule_files": [str(rules)], "evaluation_interval": "1m",
                "tests": [promtool_test(number, *row) for number, row in enumerate(TIMES)]}))
            self.promtool("check", "rules", rules)
            self.promtool("test", "rules", tests)

    def test_a_real_cause_fires_them(self):
        space = self.cluster.namespace("alerts")
        space.apply(
            deployment("full"), policy("full", max_replicas=2), policy("lost"),
            deployment("silent"), policy("silent"),
            deployment("fine"), policy("fine"),
            deployment("shared"), policy("first", deployment("shared")),
            policy("rival", deployment("shared")),
            deployment("paused"), paused(policy("paused")),
            deployment("ending"), policy("ending"), override("ending", minutes=45, floor=1),
            deployment("asking"), policy("asking", metrics=[{"type": "Prometheus", "prometheus": {
                "source": "gone", "query": "up", "target": {"type": "Value", "value": "1"}}}]))
        self.store().write_text("no database")  # so that it is set aside
        sources = self.store("sources.yaml")
        sources.write_text(json.dumps({"sources": [
            {"name": "gone", "url": "http://127.0.0.1:1", "namespaces": ["alerts"]}]}))
        operator = self.operator("--serve-address", "127.0.0.1:0", "--metric-sources", str(sources),
                                 "--leader-elect",
                                 "--leader-elect-resource-name", RELEASE,
                                 "--leader-elect-resource-namespace", RELEASE_NAMESPACE).wait_ready()
        rules = self.rules()
        self.assertIn("- time() < 900", rules)
        target, prometheus = self.watched(operator, rules.replace("- time() < 900", "- time() < 3600"))
        culprits = {"BallastPinnedAtMax": "full", "BallastCannotScale": "lost",
                    "BallastMetricsMissing": "silent", "BallastSourceDown": "asking",
                    "BallastConflicted": "rival",
                    "BallastHeld": "paused", "BallastOverrideEnds": "ending", "BallastHistoryDegraded": "full"}
        for alert, culprit in culprits.items():
            with self.subTest(alert):
                fired = wait_until(lambda name=alert: f"{name}: {prometheus.firing().keys()}, "
                                   f"{get(target, '/metrics')}",
                                   lambda name=alert: prometheus.firing().get(name))
                found = run_command(self.cluster, fired["annotations"]["description"])
                self.assertIn(culprit, found)
                if alert != "BallastHistoryDegraded":
                    self.assertNotIn("fine", found)
        self.queries_answer(prometheus)
        self.assertNotIn("BallastNobodyLeads", prometheus.firing())
        operator.stop()
        fired = wait_until("nobody leads", lambda: prometheus.firing().get("BallastNobodyLeads"))
        self.assertRegex(run_command(self.cluster, fired["annotations"]["description"]),
                         rf"(?m)^{RELEASE_NAMESPACE} +{RELEASE} ")

    def rules(self):
        """The rules, with a short `for`; a page that cannot be had for a moment lets nobody lead."""
        soon = json.dumps({alert: {"for": "20s" if alert == "BallastNobodyLeads" else "2s"} for alert, *_ in TIMES})
        return rules_of(self.cluster.render_chart(IMAGE, RULE, f"metrics.prometheusRule.alerts={soon}"))

    def watched(self, operator, rules):
        """The address that the operator serves, and a Prometheus that scrapes it."""
        target = operator.lines("serving health and metrics")[0]["address"]
        prometheus = Prometheus(self.store("prometheus"), target,
                                {"namespace": RELEASE_NAMESPACE, "pod": "ballast-0"}, rules)
        self.addCleanup(prometheus.close)
        return target, prometheus

    def test_a_frozen_watch_and_a_short_certificate_fire_theirs(self):
        space = self.cluster.namespace("frozen")
        space.apply(bare_pod("busy"))
        pair = self.store("pair")
        pair.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-noenc", "-days", "6", "-subj", "/CN=ballast", "-keyout", pair / "tls.key",
                        "-out", pair / "tls.crt"], check=True, capture_output=True)
        proxy = self.make_proxy()
        operator = self.operator(
            "--serve-address", "127.0.0.1:0", "--webhook-address", "127.0.0.1:0",
            "--webhook-certificate-dir", pair,
            kubeconfig=self.cluster.operator_kubeconfig(proxy.server)).wait_ready()
        rules = self.rules()
        self.assertIn("ballast_watch_silence_seconds > 120", rules)
        # Bookmarks come every minute, so a watch without events is old to this rule, and one with events is not.
        target, prometheus = self.watched(operator, rules.replace(
            "ballast_watch_silence_seconds > 120", "ballast_watch_silence_seconds > 10"))
        turn = itertools.count()

        def silent():
            """The resources of which nothing was heard, while there is news of pods."""
            self.api.merge(space.path(bare_pod("busy")), {"metadata": {"labels": {"turn": str(next(turn))}}})
            return {alert["labels"]["resource"] for alert in prometheus.ask("alerts")["alerts"]
                    if alert["labels"]["alertname"] == "BallastCacheOld" and alert["state"] == "firing"}

        quiet = wait_until("a watch without events", silent, interval=0.5)
        self.assertNotIn("pods", quiet)
        proxy.passing.clear()
        wait_until("the frozen watch of pods", lambda: "pods" in silent(), interval=0.5)
        self.assertIn('"pods"', get(target, "/debug")[1])
        fired = wait_until("the certificate", lambda: prometheus.firing().get("BallastCertificateExpires"))
        self.assertIn("expires in 5d 23h", fired["annotations"]["description"])
        self.queries_answer(prometheus, of_webhook=True)

    def queries_answer(self, prometheus, of_webhook=False):
        """The dashboard's queries about the webhook, or all others, each with at least one series."""
        dashboard = json.loads((CHART / "files/dashboard.json").read_text())
        queries = [target["expr"].replace("$namespace", ".*")
                   for panel in dashboard["panels"] for target in panel["targets"]]
        for query in [query for query in queries if ("webhook" in query) == of_webhook]:
            with self.subTest(query):
                wait_until(query, lambda asked=query: prometheus.ask("query", query=asked)["result"])


def bare_pod(name):
    return namespaced("v1", "Pod", name, spec=pod_template(name)["spec"])


def paused(object_):
    return object_ | {"metadata": object_["metadata"] | {
        "annotations": {"ballast.dev/paused-until": "2099-01-01T00:00:00Z"}}}


if __name__ == "__main__":
    try:
        program("promtool")
    except Skipped as why:
        print(why, file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
