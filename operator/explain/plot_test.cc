#include "operator/explain/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "api/decision/snapshot_json.h"
#include "api/json/json_writer.h"
#include "operator/engine/testing/test_snapshot.h"
#include "operator/explain/testing/fake_history.h"

namespace ballast::explain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Time At(std::int64_t seconds) { return Time(1'800'000'000 + seconds, 0); }

const store::Subject kWeb{"uid-web", "AutoScalePolicy", {"shop", "web"}};
const store::HistoryQuery kQuery{.key = kWeb.key};

// Four columns of a minute each.
class PlotTest : public testing::Test {
 protected:
  store::Entry& Decide(std::int64_t second, std::int32_t from, std::int32_t to,
                       store::Disposition disposition,
                       const std::string& reason = "ReadyForNewScale") {
    store::Entry& entry = history_.entries.emplace_back();
    entry.id = static_cast<store::DecisionId>(history_.entries.size());
    entry.subject = kWeb;
    entry.period = Duration::Seconds(15);
    entry.time = entry.until = At(second);
    entry.current_replicas = from;
    entry.desired_replicas = to;
    entry.disposition = disposition;
    entry.reason = reason;
    return entry;
  }
  // Evaluations that change nothing.
  store::Entry& Stay(std::int64_t second, std::int64_t until, std::int32_t replicas,
                     const std::string& reason = "ReadyForNewScale") {
    store::Entry& entry = Decide(second, replicas, replicas, store::Disposition::kNone, reason);
    entry.until = At(until);
    return entry;
  }
  // The snapshot of the last decision: a queue of which each pod is to have ten.
  void Keep(std::int32_t min, std::int32_t max) {
    engine::Snapshot snapshot = engine::testing::MakePolicy(2);
    snapshot.autoscaler.spec.min_replicas = min;
    snapshot.autoscaler.spec.max_replicas = max;
    json::Writer writer;
    engine::Encode(writer, snapshot);
    history_.snapshots[history_.entries.back().id] = writer.Take();
  }
  void Measure(std::int64_t second, std::optional<std::int64_t> milli, const std::string& reason) {
    history_.evaluations.push_back(
        {At(second), 2, 2, reason, {{"External/queue", "AverageValue", milli, {}}}});
  }
  Plot Make(std::int64_t from = 0, std::int64_t until = 240) {
    store::HistoryQuery query = kQuery;
    query.since = At(from);
    query.until = At(until);
    return MakePlot(history_, query, 4).value();
  }

  FakeHistory history_;
};

std::vector<std::optional<PlotRange>> ReplicasOf(const Plot& plot) {
  std::vector<std::optional<PlotRange>> all;
  for (const PlotColumn& column : plot.columns) {
    all.push_back(column.replicas);
  }
  return all;
}

TEST_F(PlotTest, OfNothingIsNone) {
  const auto plot = MakePlot(history_, kQuery, 4);
  ASSERT_FALSE(plot.ok());
  EXPECT_EQ(plot.error().code, Code::kNotFound);
}

TEST_F(PlotTest, ADecisionHoldsUntilTheNextOrTwoPeriodsAfterItsLastEvaluation) {
  Stay(0, 50, 2);
  Decide(60, 2, 5, store::Disposition::kWritten);
  Stay(75, 75, 5);
  Decide(210, 5, 3, store::Disposition::kFailed);  // known for 30 s
  const Plot plot = Make();
  EXPECT_EQ(plot.width, Duration::Seconds(60));
  EXPECT_THAT(ReplicasOf(plot),
              ElementsAre(PlotRange{2, 2}, PlotRange{5, 5}, std::nullopt, PlotRange{5, 5}));
  EXPECT_EQ(plot.columns[1].desired, (PlotRange{5, 5}));
  EXPECT_EQ(plot.columns[3].desired, (PlotRange{3, 3})) << "it is not written, and asked for";
}

TEST_F(PlotTest, AColumnHasTheLowestAndTheHighest) {
  Stay(0, 10, 2);
  Stay(20, 30, 9);
  Stay(40, 50, 4);
  EXPECT_EQ(Make().columns[0].replicas, (PlotRange{2, 9}));
}

TEST_F(PlotTest, LimitsAndTargetsAreThoseOfTheSnapshotBefore) {
  Stay(0, 50, 2);
  Keep(1, 10);
  Stay(60, 110, 2);  // kept without inputs
  Stay(120, 140, 2);
  Keep(2, 14);
  const Plot plot = Make();
  EXPECT_THAT(plot.metrics, ElementsAre(PlotMetric{"External/queue", "AverageValue"}));
  EXPECT_EQ(plot.columns[0].limits, (PlotRange{1, 10}));
  EXPECT_EQ(plot.columns[1].limits, (PlotRange{1, 10}));
  EXPECT_EQ(plot.columns[2].limits, (PlotRange{2, 14}));
  EXPECT_THAT(plot.columns[1].targets, ElementsAre(10.0));
  EXPECT_THAT(plot.columns[3].targets, IsEmpty());
}

TEST_F(PlotTest, AValueHoldsUntilTheNextEvaluation) {
  Stay(0, 240, 2);
  Measure(0, 8'000, "");
  Measure(50, 12'500, "");
  Measure(70, std::nullopt, "");
  const Plot plot = Make();
  EXPECT_THAT(plot.metrics, ElementsAre(PlotMetric{"External/queue", "AverageValue"}));
  EXPECT_THAT(plot.columns[0].values, ElementsAre(PlotRange{8, 12.5}));
  EXPECT_THAT(plot.columns[1].values, ElementsAre(PlotRange{12.5, 12.5}));
  EXPECT_THAT(plot.columns[2].values, IsEmpty());
}

// The reasons within a run may alternate, so evaluations one by one know better.
TEST_F(PlotTest, WhatHeldTheCountIsToldByEvaluationsElseByRuns) {
  Stay(0, 170, 2, "ScaleDownStabilized");
  Measure(60, 8'000, "TooManyReplicas");
  Measure(75, 8'000, "DesiredWithinRange");
  const Plot plot = Make();
  EXPECT_THAT(plot.columns[0].holds, ElementsAre("ScaleDownStabilized"));
  EXPECT_THAT(plot.columns[1].holds, ElementsAre("TooManyReplicas"));
  EXPECT_THAT(plot.columns[2].holds, ElementsAre("ScaleDownStabilized"));
}

TEST_F(PlotTest, AColumnHasFourHoldsAtMostAndNoReasonThatHoldsNothing) {
  std::int64_t second = 0;
  for (const char* reason : {"SucceededRescale", "A", "B", "A", "C", "D", "E"}) {
    Stay(second, second, 2, reason);
    ++second;
  }
  EXPECT_THAT(Make().columns[0].holds, ElementsAre("A", "B", "C", "D"));
}

TEST_F(PlotTest, EventsAreOfTheirKind) {
  const struct {
    std::int32_t to;  // from 4
    store::Disposition disposition;
    PlotEventKind kind;
  } kCases[] = {{5, store::Disposition::kWritten, PlotEventKind::kScaledOut},
                {3, store::Disposition::kWritten, PlotEventKind::kScaledIn},
                {5, store::Disposition::kObserved, PlotEventKind::kScaledOut},
                {5, store::Disposition::kDryRun, PlotEventKind::kDryRun},
                {5, store::Disposition::kIntended, PlotEventKind::kNotWritten},
                {5, store::Disposition::kFailed, PlotEventKind::kNotWritten},
                {5, store::Disposition::kUnknown, PlotEventKind::kNotWritten}};
  for (const auto& c : kCases) {
    history_.entries.clear();
    Decide(10, 4, c.to, c.disposition).message = "why";
    history_.entries.back().error = "no";
    const PlotColumn column = Make().columns[0];
    ASSERT_EQ(column.events.size(), 1u);
    EXPECT_EQ(column.events[0].kind, c.kind) << Name(c.disposition);
    EXPECT_EQ(column.events[0].from, 4);
    EXPECT_EQ(column.events[0].to, c.to);
    EXPECT_EQ(column.events[0].text, "ReadyForNewScale: why: no");
    EXPECT_EQ(column.counts[static_cast<std::size_t>(c.kind)], 1u);
  }
}

// The evaluation that notices a change or follows an edit may have the same time: it is later.
TEST_F(PlotTest, EventsAreInOrderAndAllAreCounted) {
  for (int i = 0; i < 9; ++i) {
    Decide(30 + i, 2 + i, 3 + i, store::Disposition::kWritten);
  }
  history_.foreign_changes = {{kWeb, {At(30), 5, 7, "kubectl", {}}},
                              {kWeb, {At(70), 7, 5, "", {}}}};
  history_.edits = {{kWeb, {At(100), "spec.maxReplicas", "9", "10", "kubectl", {}}, {}},
                    {kWeb, {At(500), "spec.maxReplicas", "10", "11", "kubectl", {}}, {}}};
  const Plot plot = Make();
  EXPECT_EQ(plot.columns[0].events.size(), kPlotColumnEvents);
  EXPECT_EQ(plot.columns[0].counts[static_cast<std::size_t>(PlotEventKind::kScaledOut)], 9u);
  EXPECT_EQ(plot.columns[0].counts[static_cast<std::size_t>(PlotEventKind::kByOthers)], 1u);
  ASSERT_EQ(plot.columns[1].events.size(), 2u);
  EXPECT_EQ(plot.columns[1].events[0].text, "another client");
  EXPECT_EQ(plot.columns[1].events[1].text, "spec.maxReplicas by kubectl");
  history_.entries.resize(1);
  const PlotColumn first = Make().columns[0];
  ASSERT_EQ(first.events.size(), 2u);
  EXPECT_EQ(first.events[0].kind, PlotEventKind::kByOthers);
  EXPECT_EQ(first.events[0].text, "kubectl");
}

TEST_F(PlotTest, ReachesADayBackIfTheQueryDoesNotSay) {
  Stay(-2 * 86'400, -2 * 86'400, 2);
  Stay(0, 0, 2);
  const Plot plot = MakePlot(history_, kQuery, 4).value();
  EXPECT_GT(plot.to(), At(0)) << "the last evaluation belongs to it";
  EXPECT_LE(plot.to(), At(1));
  EXPECT_EQ(plot.from, At(0) + Duration::Milliseconds(1) - kPlotSpan);
  EXPECT_EQ(plot.left, At(-2 * 86'400));
  history_.entries.erase(history_.entries.begin());
  const Plot one = MakePlot(history_, kQuery, 4).value();
  EXPECT_EQ(one.from, At(0));
  EXPECT_EQ(one.width, Duration::Seconds(15)) << "a minute at least";
  EXPECT_EQ(one.left, std::nullopt);
}

}  // namespace
}  // namespace ballast::explain
