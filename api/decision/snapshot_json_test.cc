#include "api/decision/snapshot_json.h"
#include "api/json/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using ::testing::HasSubstr;

// A snapshot with one of everything.
const std::string kSnapshot = R"({
  "id": "a", "now": "2026-03-04T12:00:00.25Z",
  "settings": {"tolerance": 0.2, "cpuInitializationPeriodSeconds": 1,
    "initialReadinessDelaySeconds": 2, "downscaleStabilizationSeconds": 3, "staleAfterSeconds": 4,
    "maxViewAgeSeconds": 5, "suspectHoldSeconds": 6,
    "kubernetesVersion": "1.37",
    "featureGates": {"HPAScaleToZero": false, "HPAConfigurableTolerance": false}},
  "autoscaler": {"apiVersion": "ballast.dev/v1alpha1", "kind": "AutoScalePolicy",
    "metadata": {"name": "web", "namespace": "shop", "generation": 3},
    "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
      "minReplicas": 1, "maxReplicas": 9, "mode": "Active", "syncPeriodSeconds": 5,
      "readiness": {"cpuInitializationPeriodSeconds": 6, "initialReadinessDelaySeconds": 7},
      "podSelection": "Owned", "metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization",
          "averageUtilization": 60}}},
        {"type": "External", "external": {"metric": {"name": "queue", "selector": {"matchLabels":
          {"q": "a"}, "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]}},
          "target": {"type": "AverageValue", "averageValue": "10"}}}],
      "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60, "selectPolicy": "Max",
        "tolerance": "50m", "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}},
    "status": {"currentReplicas": 2, "desiredReplicas": 2, "lastScaleTime": "2026-03-04T11:00:00Z",
      "currentMetrics": [{"type": ""}, {"type": "External", "external": {"metric": {"name":
        "queue"}, "current": {"averageValue": "9"}}}],
      "conditions": [{"type": "AbleToScale", "status": "True", "reason": "R", "message": "m",
        "lastTransitionTime": "2026-03-04T10:00:00Z"}]}},
  "scale": {"object": {"metadata": {"name": "web", "namespace": "shop"}, "spec": {"replicas": 2},
    "status": {"replicas": 2, "selector": "app=web"}}},
  "pods": [{"metadata": {"name": "web-1", "labels": {"app": "web"}}, "spec": {
      "containers": [{"name": "app", "resources": {"requests": {"cpu": "100m"}}}],
      "initContainers": [{"name": "side", "restartPolicy": "Always"}],
      "resources": {"requests": {"memory": "1Gi"}}, "overhead": {"cpu": "5m"}},
    "status": {"phase": "Running", "startTime": "2026-03-04T09:00:00Z",
      "conditions": [{"type": "Ready", "status": "True"}]}}],
  "rivals": [{"name": "other", "selector": "app=other"}],
  "metrics": [{"podMetrics": {"items": [{"metadata": {"name": "web-1", "namespace": "shop"},
      "timestamp": "2026-03-04T11:59:50Z", "window": "30s",
      "containers": [{"name": "app", "usage": {"cpu": "70m"}}]}]}},
    {"values": {"items": [{"metricName": "queue", "timestamp": "2026-03-04T11:59:55Z",
      "value": "18"}]}}],
  "scaleUpdateError": "forbidden", "series": "s",
  "memory": {"recommendations": [{"time": "2026-03-04T11:59:45Z", "replicas": 2}],
    "scaleUps": [{"time": "2026-03-04T11:58:00Z", "change": 1}],
    "scaleDowns": [{"time": "2026-03-04T11:57:00Z", "change": 3}],
    "usedSamples": [{"metric": "External/queue", "timestamp": "2026-03-04T11:50:00Z"}],
    "noValueSince": "2026-03-04T11:59:00Z", "suspectSince": "2026-03-04T11:58:00Z",
    "target": "d1"},
  "podsLeftOut": 4, "lastEvaluation": "2026-03-04T11:59:45Z", "podsAge": 61, "samplesEvery": 14.9,
  "clockJumped": true,
  "interrupted": true, "unsettledWrite": {"time": "2026-03-04T11:59:45Z", "from": 2, "to": 3},
  "suspectSource": {"name": "external.metrics.k8s.io", "since": "2026-03-04T11:58:00Z"},
  "takesOverFrom": "old", "opponent": {"manager": "kubectl", "from": 4, "to": 2},
  "ledgerTrouble": {"reason": "Full", "message": "no space"},
  "schedules": {"tzdata": "2026a", "startupSeconds": 45, "windows": [
      {"name": "day", "timeZone": "Europe/Berlin", "start": "2026-03-04T12:10:00Z",
        "end": "2026-03-04T17:00:00Z", "minReplicas": 4, "maxReplicas": 8, "rampMinutes": 20},
      {"name": "night", "timeZone": "Mars/Phobos", "start": "2026-03-04T11:59:00Z",
        "maxReplicas": 0, "rampMinutes": 5, "hold": "ScaleUp"},
      {"name": "before", "timeZone": "UTC", "start": "2026-03-04T11:00:00Z",
        "end": "2026-03-04T12:00:00Z", "minReplicas": 2},
      {"name": "later", "timeZone": "UTC", "start": "2026-03-04T12:02:00Z",
        "end": "2026-03-04T13:00:00Z", "minReplicas": 9}],
    "next": {"at": "2026-03-04T12:10:00Z", "name": "day", "minReplicas": 4, "maxReplicas": 8,
      "hold": "ScaleUp"},
    "lost": [{"name": "night", "timeZone": "Mars/Phobos"}]}
})";

std::string Print(const Snapshot& snapshot) {
  json::Writer writer;
  Encode(writer, snapshot);
  return writer.Take();
}

TEST(SnapshotJson, WhatIsPrintedReadsBackTheSame) {
  const auto snapshot = ParseSnapshot(kSnapshot);
  ASSERT_TRUE(snapshot.ok()) << snapshot.error().message;
  const auto again = ParseSnapshot(Print(*snapshot));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(Print(*again), Print(*snapshot));
  EXPECT_EQ(again->memory, snapshot->memory);
  EXPECT_EQ(again->settings.stale_after, Duration::Seconds(4));
  EXPECT_EQ(again->autoscaler.spec.pod_selection, "Owned");
  EXPECT_EQ(again->pods_left_out, 4);
  EXPECT_EQ(again->last_evaluation, snapshot->last_evaluation);
  EXPECT_EQ(again->settings.max_view_age, Duration::Seconds(5));
  EXPECT_EQ(again->pods_age, Duration::Seconds(61));
  EXPECT_EQ(again->samples_every, Duration::Milliseconds(14'900));
  EXPECT_TRUE(again->clock_jumped);
  EXPECT_TRUE(again->interrupted);
  ASSERT_TRUE(again->unsettled_write);
  EXPECT_EQ(again->unsettled_write->time, snapshot->unsettled_write->time);
  EXPECT_EQ(again->unsettled_write->from, 2);
  EXPECT_EQ(again->unsettled_write->to, 3);
  EXPECT_EQ(again->settings.suspect_hold, Duration::Seconds(6));
  ASSERT_TRUE(again->suspect_source);
  EXPECT_EQ(again->suspect_source->name, "external.metrics.k8s.io");
  EXPECT_EQ(again->suspect_source->since, snapshot->suspect_source->since);
  EXPECT_EQ(again->takes_over_from, "old");
  ASSERT_TRUE(again->ledger_trouble);
  EXPECT_EQ(again->ledger_trouble->reason, "Full");
  EXPECT_EQ(again->ledger_trouble->message, "no space");
  ASSERT_TRUE(again->opponent);
  EXPECT_EQ(again->opponent->manager, "kubectl");
  EXPECT_EQ(again->opponent->from, 4);
  EXPECT_EQ(again->opponent->to, 2);
  EXPECT_EQ(again->now, Time(1'772'625'600, 250'000'000));
  ASSERT_TRUE(again->schedules);
  EXPECT_EQ(again->schedules->tzdata, "2026a");
  EXPECT_EQ(again->schedules->startup, Duration::Seconds(45));
  ASSERT_EQ(again->schedules->windows.size(), 4U);
  const ScheduleWindow& day = again->schedules->windows[0];
  EXPECT_EQ(day.time_zone, "Europe/Berlin");
  EXPECT_EQ(day.start, Time(1'772'626'200, 0));
  EXPECT_EQ(day.end, Time(1'772'643'600, 0));
  EXPECT_EQ(day.min_replicas, 4);
  EXPECT_EQ(day.max_replicas, 8);
  EXPECT_EQ(day.ramp_minutes, 20);
  EXPECT_EQ(again->schedules->windows[1].hold, "ScaleUp");
  EXPECT_FALSE(again->schedules->windows[1].end);
  ASSERT_TRUE(again->schedules->next);
  EXPECT_EQ(again->schedules->next->at, day.start);
  EXPECT_EQ(again->schedules->next->bounds, (Bounds{4, 8}));
  EXPECT_EQ(again->schedules->next->hold, api::kHoldScaleUp);
  ASSERT_EQ(again->schedules->lost.size(), 1U);
  EXPECT_EQ(again->schedules->lost[0].time_zone, "Mars/Phobos");
}

// The flags accept fractions, and a record must lead to the same decision.
TEST(SnapshotJson, SettingsKeepFractionsOfSeconds) {
  Snapshot snapshot = testing::MakePolicy(2);
  snapshot.settings.cpu_initialization_period = Duration::Milliseconds(90'500);
  snapshot.settings.downscale_stabilization = Duration{300'000'000'001};
  const std::string printed = Print(snapshot);
  EXPECT_NE(printed.find(R"("cpuInitializationPeriodSeconds":90.5,)"), std::string::npos);
  EXPECT_NE(printed.find(R"("initialReadinessDelaySeconds":30,)"), std::string::npos);
  const auto again = ParseSnapshot(printed);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->settings.cpu_initialization_period, Duration::Milliseconds(90'500));
  EXPECT_EQ(again->settings.downscale_stabilization, Duration{300'000'000'001});
}

TEST(SnapshotJson, FailuresReadBackToo) {
  Snapshot snapshot = testing::MakePolicy(2);
  snapshot.scale = Failure{"no scale"};
  snapshot.pods = Failure{"no pods"};
  snapshot.metrics = {Failure{"no metric"}};
  const auto again = ParseSnapshot(Print(snapshot));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(Print(*again), Print(snapshot));
}

TEST(SnapshotJson, SettingsHaveDefaults) {
  const auto snapshot = ParseSnapshot(
      R"({"now":"2026-03-04T12:00:00Z","autoscaler":{"kind":"HorizontalPodAutoscaler",
          "spec":{"maxReplicas":3}},"scale":{"error":"x"},"pods":null})");
  ASSERT_TRUE(snapshot.ok()) << snapshot.error().message;
  EXPECT_EQ(snapshot->settings.tolerance, 0.1);
  EXPECT_EQ(snapshot->settings.cpu_initialization_period, Duration::Seconds(300));
  EXPECT_EQ(snapshot->settings.initial_readiness_delay, Duration::Seconds(30));
  EXPECT_EQ(snapshot->settings.downscale_stabilization, Duration::Seconds(300));
  EXPECT_TRUE(snapshot->settings.scale_to_zero);
  EXPECT_TRUE(snapshot->settings.configurable_tolerance);
}

std::string Replace(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SnapshotJson, AnErrorNamesThePath) {
  const struct {
    const char* from;
    const char* to;
    const char* says;
  } kCases[] = {
      {R"("now": "2026-03-04T12:00:00.25Z",)", "", "now: is required"},
      {"2026-03-04T12:00:00.25Z", "yesterday", "now: "},
      {R"("kind": "AutoScalePolicy",)", "", "autoscaler.kind: is required"},
      {R"("kind": "AutoScalePolicy")", R"("kind": "Pod")", "autoscaler.kind: is neither"},
      {R"("maxReplicas": 9, )", "", "autoscaler.spec.maxReplicas: is required"},
      {R"("maxReplicas": 9)", R"("maxReplicas": 9.5)",
       "autoscaler.spec.maxReplicas: expected an i"},
      {R"("maxReplicas": 9)", R"("maxReplicas": 99999999999)", "maxReplicas: does not fit"},
      {R"("minReplicas": 1)", R"("minReplicas": "1")",
       "autoscaler.spec.minReplicas: expected an i"},
      {R"("averageValue": "10")", R"("averageValue": "ten")",
       "autoscaler.spec.metrics[1].external.target.averageValue: "},
      {R"({"object": {"metadata": {"name": "web")", R"({"objekt": {"metadata": {"name": "web")",
       "scale.object: is required"},
      {R"("spec": {"replicas": 2})", R"("spec": {"replicas": []})", "scale.object.spec.replicas: "},
      {R"("pods": [{)", R"("pods": [7, {)", "pods[0]: expected an object, got a number"},
      {R"("cpu": "100m")", R"("cpu": "100q")", "pods[0].spec.containers[0].resources.requests.cpu"},
      {R"("window": "30s")", R"("window": "soon")", "metrics[0].podMetrics.items[0].window: "},
      {R"({"values": {)", R"({"nothing": {)", "metrics[1].values: is required"},
      {R"("tolerance": 0.2)", R"("tolerance": "0.2")", "settings.tolerance: expected a number"},
      {R"("downscaleStabilizationSeconds": 3)", R"("downscaleStabilizationSeconds": 1e30)",
       "settings.downscaleStabilizationSeconds: "},
      {R"("downscaleStabilizationSeconds": 3)", R"("downscaleStabilizationSeconds": 99999999999)",
       "settings.downscaleStabilizationSeconds: is out of range"},
      {R"("1.37")", R"("1.x")", "settings.kubernetesVersion: must be a version of Kubernetes"},
      {R"("1.37")", R"("2.1")", "settings.kubernetesVersion: must be a version of Kubernetes"},
      {R"("HPAScaleToZero": false)", R"("HPAScaleToZero": 0)", "settings.featureGates.HPAScaleTo"},
      {R"([{"time": "2026-03-04T11:59:45Z", )", "[{", "memory.recommendations[0].time: is req"},
      {R"("change": 3)", R"("change": null)", "memory.scaleDowns[0].change: is required"},
      {R"("rivals": [{"name": "other", )", R"("rivals": [{)", "rivals[0].name: is required"},
      {R"("clockJumped": true)", R"("clockJumped": "yes")", "clockJumped: expected a boolean"},
      {R"("id": "a")", R"("id": 7)", "id: expected a string"},
      {R"("id": "a")", "\"id\": \"\xff\"", "not JSON: "},
      {R"("tolerance": 0.2)", R"("tolerance": 1e999)", "not JSON: "},
      {R"("from": 2, "to": 3})", R"("from": 2})", "unsettledWrite.to: is required"},
      {R"("suspectSource": {"name": "external.metrics.k8s.io", )", R"("suspectSource": {)",
       "suspectSource.name: is required"},
      {R"("start": "2026-03-04T12:10:00Z",)", "", "schedules.windows[0].start: is required"},
      {R"("hold": "ScaleUp")", R"("hold": "Both")",
       "schedules.windows[1].hold: must be All, ScaleUp or ScaleDown, is \"Both\""},
      {R"({"at": "2026-03-04T12:10:00Z", )", "{", "schedules.next.at: is required"},
      {"Phobos\"}]}\n}", "", "not JSON: "},
  };
  for (const auto& c : kCases) {
    const auto snapshot = ParseSnapshot(Replace(kSnapshot, c.from, c.to));
    ASSERT_FALSE(snapshot.ok()) << c.to;
    EXPECT_EQ(snapshot.error().code, Code::kInvalid) << c.to;
    EXPECT_THAT(snapshot.error().message, HasSubstr(c.says)) << c.to;
  }
}

// The offsets at which the values of members begin: after each colon outside of a string.
std::vector<std::size_t> ValueStarts(const std::string& text) {
  std::vector<std::size_t> starts;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    in_string = in_string != (text[i] == '"');
    if (!in_string && text[i] == ':') {
      starts.push_back(text.find_first_not_of(" \n", i + 1));
    }
  }
  return starts;
}

// The offset after the value that begins at `start`.
std::size_t ValueEnd(const std::string& text, std::size_t start) {
  bool in_string = false;
  int depth = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    in_string = in_string != (text[i] == '"');
    if (in_string) {
      continue;
    }
    if (depth == 0 && i > start && std::string(",}] \n").find(text[i]) != std::string::npos) {
      return i;
    }
    depth += text[i] == '{' || text[i] == '[' ? 1 : 0;
    depth -= text[i] == '}' || text[i] == ']' ? 1 : 0;
  }
  return text.size();
}

// Any value in any field leads to an error or a decision, never to a crash (the sanitizers watch).
TEST(SnapshotJson, NoValueOfAnyFieldHarms) {
  const std::string deep = std::string(1'000, '[') + std::string(1'000, ']');
  const std::string kValues[] = {"null",
                                 "true",
                                 "-1",
                                 "0",
                                 "2147483647",
                                 "-2147483648",
                                 "9223372036854775807",
                                 "1.5",
                                 "1e308",
                                 R"("")",
                                 R"("x")",
                                 R"("-1")",
                                 R"("9223372036854775807")",
                                 R"("1e10000")",
                                 R"("1n")",
                                 R"("0001-01-01T00:00:00Z")",
                                 R"("9999-12-31T23:59:59.999999999Z")",
                                 R"("True")",
                                 R"("Disabled")",
                                 "[]",
                                 "[null]",
                                 "{}",
                                 R"({"":{}})",
                                 deep};
  for (const std::size_t start : ValueStarts(kSnapshot)) {
    const std::size_t length = ValueEnd(kSnapshot, start) - start;
    for (const std::string& value : kValues) {
      std::string text = kSnapshot;
      text.replace(start, length, value);
      const auto snapshot = ParseSnapshot(text);
      if (snapshot.ok()) {
        testing::Evaluate(*snapshot);
        EXPECT_TRUE(ParseSnapshot(Print(*snapshot)).ok()) << text;
      } else {
        EXPECT_FALSE(snapshot.error().message.empty());
      }
    }
  }
}

}  // namespace
}  // namespace ballast::engine
