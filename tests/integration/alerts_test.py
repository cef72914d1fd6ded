#!/usr/bin/env python3
"""Tests the alerts: with promtool, which of them fire when; and with a real operator and a real
Prometheus, that a real cause makes them fire, and that the command in their text finds it. Tests
the dashboard's queries too."""

import json
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from support.case import ClusterCase
from support.cluster import CHART, RELEASE, RELEASE_NAMESPACE, SKIPPED, Skipped
from support.objects import deployment, policy
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
# Alert, series (one value a minute), the last minute without it, and the first with it; None: never.
TIMES = [
    ("BallastPinnedAtMax", [(autoscalers("ScalingLimited", "TooManyReplicas"), "1x60")], 29, 30),
    ("BallastPinnedAtMax", [(autoscalers("ScalingLimited", "TooFewReplicas"), "1x60")], 60, None),
    ("BallastPinnedAtMax", [(autoscalers("ScalingLimited", "TooManyReplicas"), "1x20 0x10 1x29")],
     59, None),
    ("BallastMetricsMissing", [(autoscalers("ScalingActive", "FailedGetResourceMetric"), "2x60")], 14, 15),
    ("BallastMetricsMissing", [(autoscalers("ScalingActive", "ValidMetricFound"), "2x60"),
                               (autoscalers("ScalingActive", "ScalingDisabled"), "2x60")], 60, None),
    ("BallastCannotScale", [(autoscalers("AbleToScale", "FailedGetScale"), "1x60")], 14, 15),
    ("BallastCannotScale", [(autoscalers("AbleToScale", "SucceededRescale"), "1x60")], 60, None),
    ("BallastHeld", [(autoscalers("Held", "Paused"), "1x1000")], 719, 720),
    ("BallastHeld", [(autoscalers("Held", "Active"), "1x1000"),
                     (autoscalers("Held", "DryRun", "DryRun"), "1x1000"),
                     (autoscalers("Held", "Disabled", "Disabled"), "1x1000")], 1000, None),
    ("BallastConflicted", [(autoscalers("Conflicted", "TugOfWar"), "1x60")], 14, 15),
    ("BallastHistoryDegraded", [("ballast_store_healthy", "0x30")], 4, 5),
    ("BallastHistoryDegraded", [("ballast_store_replaced", "1x30")], 4, 5),
    ("BallastHistoryDegraded", [("ballast_store_records_dropped", "0x3 5x30")], 4, 10),
    ("BallastHistoryDegraded", [("ballast_store_healthy", "1x30"), ("ballast_store_replaced", "0x30"),
                                ("ballast_store_records_dropped", "7x30")], 30, None),
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
            deployment("paused"), paused(policy("paused")))
        self.store().write_text("no database")  # so that it is set aside
        operator = self.operator("--serve-address", "127.0.0.1:0", "--leader-elect",
                                 "--leader-elect-resource-name", RELEASE,
                                 "--leader-elect-resource-namespace", RELEASE_NAMESPACE).wait_ready()
        target = operator.lines("serving health and metrics")[0]["address"]
        soon = json.dumps({alert: {"for": "2s"} for alert, *_ in TIMES})
        prometheus = Prometheus(
            self.cluster.folder / "prometheus", target,
            {"namespace": RELEASE_NAMESPACE, "pod": "ballast-0"},
            rules_of(self.cluster.render_chart(IMAGE, RULE, f"metrics.prometheusRule.alerts={soon}")))
        self.addCleanup(prometheus.close)
        culprits = {"BallastPinnedAtMax": "full", "BallastCannotScale": "lost",
                    "BallastMetricsMissing": "silent", "BallastConflicted": "rival",
                    "BallastHeld": "paused", "BallastHistoryDegraded": "full"}
        for alert, culprit in culprits.items():
            with self.subTest(alert):
                fired = wait_until(lambda name=alert: f"{name}: {prometheus.firing().keys()}, "
                                   f"{get(target, '/metrics')}",
                                   lambda name=alert: prometheus.firing().get(name))
                found = self.run_command(fired["annotations"]["description"])
                self.assertIn(culprit, found)
                if alert != "BallastHistoryDegraded":
                    self.assertNotIn("fine", found)
        self.queries_answer(prometheus)
        self.assertNotIn("BallastNobodyLeads", prometheus.firing())
        operator.stop()
        wait_until("nobody leads", lambda: prometheus.firing().get("BallastNobodyLeads"))

    def run_command(self, description):
        """What the command at the end of an alert's text prints."""
        command = re.search(r"kubectl .*", description)[0]
        return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True,
                              env=self.cluster.environment | {"PATH": f"{self.cluster.dir / 'bin'}:/usr/bin:/bin"}
                              ).stdout

    def queries_answer(self, prometheus):
        """The dashboard's queries, each with at least one series."""
        dashboard = json.loads((CHART / "files/dashboard.json").read_text())
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                query = target["expr"].replace("$namespace", ".*")
                with self.subTest(panel["title"]):
                    if "webhook" in query:  # it does not run here
                        prometheus.ask("query", query=query)
                    else:
                        wait_until(query, lambda asked=query: prometheus.ask("query", query=asked)["result"])


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
