// Plots that are drawn elsewhere than where the history is, and of several ledgers.
#include "operator/explain/plot_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "operator/explain/plot_merge.h"

namespace ballast::explain {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Time At(std::int64_t seconds) { return Time(1'800'000'000 + seconds, 0); }

// Of three minutes.
Plot Empty(std::vector<PlotMetric> metrics) {
  Plot plot;
  plot.subject = {"uid-web", "AutoScalePolicy", {"shop", "web"}};
  plot.from = At(0);
  plot.width = Duration::Seconds(60);
  plot.metrics = std::move(metrics);
  plot.columns.resize(3);
  return plot;
}

const PlotMetric kCpu = {"Resource/cpu", "Utilization"};
const PlotMetric kQueue = {"External/queue", "Value"};

PlotEvent ScaledOut(std::int64_t second) {
  return {PlotEventKind::kScaledOut, At(second), 2, 5, "ReadyForNewScale: \"above\""};
}

Plot Full() {
  Plot plot = Empty({kCpu, kQueue});
  plot.left = At(-600);
  PlotColumn& column = plot.columns[1];
  column.replicas = PlotRange{2, 5};
  column.desired = PlotRange{5, 5};
  column.limits = PlotRange{1, 10};
  column.values = {std::nullopt, PlotRange{0.1, 1.0 / 3}};
  column.targets = {80, std::nullopt};
  column.holds = {"ScaleUpLimit", "TooManyReplicas"};
  column.message = "external metric queue above target";
  column.events = {ScaledOut(70), {PlotEventKind::kEdited, At(80), 0, 0, "spec.maxReplicas"}};
  column.counts = {9, 0, 0, 0, 0, 1};
  return plot;
}

TEST(PlotJson, IsReadAsItWasWritten) {
  for (const Plot& plot : {Full(), Empty({})}) {
    const std::string text = PlotJson(plot);
    const auto read = ParsePlot(text);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(PlotJson(*read), text);
    EXPECT_EQ(read->left, plot.left);
    EXPECT_EQ(read->to(), plot.to());
    EXPECT_EQ(read->metrics, plot.metrics);
    EXPECT_EQ(read->columns[1].values, plot.columns[1].values);
    EXPECT_EQ(read->columns[1].targets, plot.columns[1].targets);
    EXPECT_EQ(read->columns[1].counts, plot.columns[1].counts);
  }
}

TEST(PlotJson, RefusesWhatIsNone) {
  const std::string text = PlotJson(Full());
  const auto with = [&](const std::string& part, const std::string& other) {
    std::string changed = text;
    const auto at = changed.find(part);
    EXPECT_NE(at, std::string::npos) << part << " is not in " << text;
    return at == std::string::npos ? "" : changed.replace(at, part.size(), other);
  };
  for (const auto& [wrong, problem] : std::vector<std::pair<std::string, std::string>>{
           {"[", "not JSON"},
           {"{}", "is required"},
           {with(R"("1m0s")", R"("0s")"), "width: must be more than 0s"},
           {with(R"("scaledOut")", R"("exploded")"),
            "columns[1].events[0].kind: is not an event that this version knows"},
           {with(R"("targets":[80.0,null])", R"("targets":[80.0,null,1])"),
            "columns[1]: has more metrics than the plot"}}) {
    const auto read = ParsePlot(wrong);
    ASSERT_FALSE(read.ok()) << wrong;
    EXPECT_THAT(read.error().message, HasSubstr(problem));
  }
}

TEST(FrameOf, HasWhatAllHaveAndADayAtMost) {
  Plot early = Empty({});
  Plot late = Empty({});
  late.from = At(100);
  EXPECT_EQ(FrameOf({late, early}, false), (PlotFrame{At(0), At(280), {}}));
  late.from = At(86'400);
  EXPECT_EQ(FrameOf({early, late}, false), (PlotFrame{At(180), At(86'580), At(0)}));
  EXPECT_EQ(FrameOf({early, late}, true), (PlotFrame{At(0), At(86'580), {}})) << "asked for";
  late.left = At(-50);
  EXPECT_EQ(FrameOf({late}, false), (PlotFrame{At(86'400), At(86'580), At(-50)}));
}

TEST(MergePlots, HasWhatAnyOfThemHas) {
  Plot first = Empty({kCpu});
  first.columns[0].replicas = PlotRange{2, 2};
  first.columns[1].replicas = PlotRange{2, 3};
  first.columns[1].values = {PlotRange{40, 50}};
  first.columns[1].targets = {80};
  first.columns[1].events = {ScaledOut(100)};
  first.columns[1].counts = {1, 0, 0, 0, 0, 0};
  const Plot merged = MergePlots({first, Full()});
  EXPECT_THAT(merged.metrics, ElementsAre(kCpu, kQueue));
  EXPECT_EQ(merged.columns[0].replicas, (PlotRange{2, 2}));
  const PlotColumn& both = merged.columns[1];
  EXPECT_EQ(both.replicas, (PlotRange{2, 5}));
  EXPECT_EQ(both.limits, (PlotRange{1, 10}));
  EXPECT_THAT(both.values, ElementsAre(PlotRange{40, 50}, PlotRange{0.1, 1.0 / 3}));
  EXPECT_THAT(both.targets, ElementsAre(80, std::nullopt));
  EXPECT_THAT(both.holds, ElementsAre("ScaleUpLimit", "TooManyReplicas"));
  EXPECT_EQ(both.events.front().time, At(70));
  EXPECT_EQ(both.events.size(), 3);
  EXPECT_EQ(both.counts[0], 10);
}

TEST(MergePlots, FindsEachMetricByItsName) {
  Plot other = Empty({kQueue});
  other.columns[1].values = {PlotRange{7, 8}};
  const Plot merged = MergePlots({Full(), other});
  EXPECT_THAT(merged.metrics, ElementsAre(kCpu, kQueue));
  EXPECT_THAT(merged.columns[1].values, ElementsAre(std::nullopt, PlotRange{0.1, 8}));
}

TEST(MergePlots, TellsAnEventOnceThatSeveralLedgersHave) {
  const Plot merged = MergePlots({Full(), Full()});
  EXPECT_EQ(merged.columns[1].events.size(), 2);
  EXPECT_EQ(merged.columns[1].counts[5], 1);
}

}  // namespace
}  // namespace ballast::explain
