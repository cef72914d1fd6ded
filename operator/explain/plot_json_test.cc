#include "operator/explain/plot_json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ballast::explain {
namespace {

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
  column.values = {std::nullopt, PlotRange{0.1, 0.25}};
  column.targets = {80, std::nullopt};
  column.holds = {"ScaleUpLimit", "TooManyReplicas"};
  column.message = "external metric queue above target";
  column.events = {ScaledOut(70), {PlotEventKind::kEdited, At(80), 0, 0, "spec.maxReplicas"}};
  column.counts = {9, 0, 0, 0, 0, 1};
  return plot;
}

TEST(PlotJson, LeavesOutWhatIsNotThere) {
  EXPECT_EQ(PlotJson(Empty({})),
            R"({"kind":"AutoScalePolicy","namespace":"shop","name":"web","uid":"uid-web",)"
            R"("from":"2027-01-15T08:00:00Z","width":"1m0s","metrics":[],"columns":[{},{},{}]})");
}

TEST(PlotJson, HasWhatThePictureShows) {
  EXPECT_EQ(
      PlotJson(Full()),
      R"({"kind":"AutoScalePolicy","namespace":"shop","name":"web","uid":"uid-web",)"
      R"("from":"2027-01-15T08:00:00Z","width":"1m0s","historyBegins":"2027-01-15T07:50:00Z",)"
      R"("metrics":[{"name":"Resource/cpu","target":"Utilization"},)"
      R"({"name":"External/queue","target":"Value"}],"columns":[{},)"
      R"({"replicas":{"low":2.0,"high":5.0},"desired":{"low":5.0,"high":5.0},)"
      R"("limits":{"low":1.0,"high":10.0},"values":[null,{"low":0.1,"high":0.25}],)"
      R"("targets":[80.0,null],"holds":["ScaleUpLimit","TooManyReplicas"],)"
      R"("message":"external metric queue above target","events":[)"
      R"({"kind":"scaledOut","time":"2027-01-15T08:01:10Z","from":2,"to":5,)"
      R"("text":"ReadyForNewScale: \"above\""},)"
      R"({"kind":"edit","time":"2027-01-15T08:01:20Z","from":0,"to":0,"text":"spec.maxReplicas"}],)"
      R"("counts":{"scaledOut":9,"edit":1}},{}]})");
}

}  // namespace
}  // namespace ballast::explain
