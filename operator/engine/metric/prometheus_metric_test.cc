// Metrics of type Prometheus: how their value counts, and what each answer that is none does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using testing::Evaluate;
using testing::FindCondition;
using testing::MakePolicy;
using testing::MakeSnapshot;
using testing::Parse;
using testing::QueueOf;

// The policy with a query in place of its External metric, with the same target.
Snapshot WithQuery(Snapshot snapshot, const api::MetricTarget& target) {
  api::MetricSpec& metric = snapshot.autoscaler.spec.metrics.front();
  metric = {};
  metric.type = "Prometheus";
  metric.prometheus = {"main", "sum(queue)", target};
  return snapshot;
}

const api::MetricTarget kAverage{"AverageValue", {}, Parse("10"), {}};
const api::MetricTarget kValue{"Value", Parse("10"), {}, {}};

TEST(PrometheusMetric, CountsAsAnExternalMetricDoes) {
  for (const char* value : {"0", "1m", "9500m", "31", "40", "45", "1k", "9e18"}) {
    for (const api::MetricTarget& target : {kAverage, kValue}) {
      Snapshot external = MakePolicy(4);
      external.autoscaler.spec.metrics.front().external->target = target;
      external.metrics = {QueueOf(value)};
      Snapshot query = WithQuery(external, target);
      const auto of_query = Evaluate(query);
      EXPECT_EQ(of_query.status.desired_replicas, Evaluate(external).status.desired_replicas)
          << value;
      ASSERT_EQ(of_query.status.current_metrics.size(), 1U);
      EXPECT_EQ(of_query.status.current_metrics.front().type, "Prometheus");
      EXPECT_EQ(of_query.status.current_metrics.front().source, "main");
    }
  }
}

// An External metric below zero counts as the largest value, as upstream has it.
TEST(PrometheusMetric, BelowZeroCountsAsNone) {
  for (const api::MetricTarget& target : {kAverage, kValue}) {
    Snapshot snapshot = WithQuery(MakePolicy(4), target);
    snapshot.memory = Memory{{{Ago(900), 4}}, {}, {}, {}};
    snapshot.metrics = {QueueOf("-5")};
    EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 1);
  }
}

TEST(PrometheusMetric, WakesATargetFromZero) {
  Snapshot snapshot = WithQuery(MakePolicy(0), kAverage);
  snapshot.autoscaler.spec.min_replicas = 0;
  snapshot.autoscaler.status.conditions = {{"ScaledToZero", "True", "", "", Ago(60)}};
  snapshot.metrics = {QueueOf("25")};
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 3);
}

TEST(PrometheusMetric, WhatIsNoAnswerChangesNothingAndSaysWhy) {
  MetricValueList two = QueueOf("1");
  two.push_back(two.front());
  const struct {
    MetricAnswer answer;
    const char* message;
  } kCases[] = {
      {Failure{"the query returns no series"},
       "main: unable to fetch metrics from Prometheus "
       "metrics API: the query returns no series"},
      {MetricValueList(), "no metrics returned from Prometheus metrics API"},
      {two, "the answer has 2 values where one is expected"},
      {QueueOf("1", Ago(600)), "the newest sample is 10m0s old, more than the 5m0s of"},
      {PodMetricsList(), "the answer is one of another API"},
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = WithQuery(MakePolicy(4), kAverage);
    snapshot.memory = Memory{{{Ago(900), 4}}, {}, {}, {}};
    snapshot.metrics = {c.answer};
    const auto conclusion = Evaluate(snapshot);
    EXPECT_FALSE(conclusion.rescale);
    const api::Condition* active = FindCondition(conclusion.status, "ScalingActive");
    ASSERT_NE(active, nullptr);
    EXPECT_EQ(active->status, "False");
    EXPECT_EQ(active->reason, "FailedGetPrometheusMetric");
    EXPECT_THAT(active->message, ::testing::HasSubstr(c.message));
  }
}

// Kubernetes knows no such type.
TEST(PrometheusMetric, OfAnHpaIsUnknown) {
  const Snapshot snapshot = WithQuery(MakeSnapshot(api::kHpaKind, 4), kAverage);
  const auto conclusion = Evaluate(snapshot);
  EXPECT_EQ(FindCondition(conclusion.status, "ScalingActive")->reason, "InvalidMetricSourceType");
}

}  // namespace
}  // namespace ballast::engine
