// The same snapshot gives the same decision for as long as the engine's version is the same.
#include "tests/golden/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "api/autoscaling/mode.h"
#include "api/decision/engine_version.h"
#include "operator/engine/engine.h"

namespace ballast::golden {
namespace {

constexpr const char* kWhatToDo =
    "\nIf this was not meant, mend the engine. If it was, raise kEngineVersion in "
    "api/decision/engine_version.h, run `make golden` and commit the new folder; the old ones "
    "stay as they are (CONTRIBUTING.md).";

std::filesystem::path Root() {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  return folder == nullptr ? "." : folder;
}

// Those that the engine decides otherwise now.
std::vector<const Line*> Different(const std::vector<Line>& lines) {
  std::vector<const Line*> different;
  for (const Line& line : lines) {
    if (Decide(line) != line.decision) {
      different.push_back(&line);
    }
  }
  return different;
}

std::filesystem::path Newest() { return Root() / std::to_string(engine::kEngineVersion); }

TEST(Golden, ThisVersionIsTheNewestThatIsRecorded) {
  const auto versions = Versions(Root());
  ASSERT_FALSE(versions.empty());
  EXPECT_EQ(versions.rbegin()->first, engine::kEngineVersion)
      << "the engine is version " << engine::kEngineVersion << ", the newest folder of " << Root()
      << " is another: `make golden` records a version that has risen.";
}

TEST(Golden, ThisVersionDecidesAsItDidWhenItWasRecorded) {
  const auto lines = ReadFolder(Newest());
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  const auto different = Different(*lines);
  EXPECT_TRUE(different.empty()) << "version " << engine::kEngineVersion
                                 << " of the engine decides " << different.size() << " of "
                                 << lines->size()
                                 << " snapshots otherwise than it did, the first of them:\n"
                                 << different.front()->snapshot.id << "\n  then "
                                 << different.front()->decision << "\n  now  "
                                 << Decide(*different.front()) << kWhatToDo;
}

// Earlier ones may have decided otherwise; that they can still be read is a promise.
TEST(Golden, EveryVersionCanBeReplayed) {
  for (const auto& [version, folder] : Versions(Root())) {
    const auto lines = ReadFolder(folder);
    ASSERT_TRUE(lines.ok()) << lines.error().message;
    EXPECT_FALSE(lines->empty()) << folder;
    std::cout << "version " << version << " decided " << Different(*lines).size() << " of "
              << lines->size() << " snapshots otherwise than version " << engine::kEngineVersion
              << "\n";
  }
}

// A corpus without one of these would not notice that it changed.
TEST(Golden, HasEveryRuleModeMetricAndOutcome) {
  const auto lines = ReadFolder(Newest());
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  ASSERT_FALSE(lines->empty());
  std::set<std::string> seen;
  for (const Line& line : *lines) {
    const auto& spec = line.snapshot.autoscaler.spec;
    const engine::Decision decision = engine::Decide(line.snapshot);
    for (const engine::Step& step : decision.trace) {
      seen.insert(std::string(NameOf(step.rule)) + (step.binding ? " binds" : " does not bind"));
    }
    seen.insert("mode " + std::string(api::ModeOf(spec).name));
    for (const api::MetricSpec& metric : spec.metrics) {
      seen.insert("metric " + metric.type);
    }
    seen.insert("outcome " +
                std::to_string(static_cast<int>(
                    decision.rescale ? line.outcome.kind : engine::Outcome::Kind::kNotAttempted)));
  }
  for (const char* wanted : {"scale does not bind",
                             "zero binds",
                             "bounds binds",
                             "metric binds",
                             "metric does not bind",
                             "one scale-up a sample binds",
                             "combination binds",
                             "combination does not bind",
                             "stabilization binds",
                             "stabilization does not bind",
                             "limits binds",
                             "limits does not bind",
                             "pause binds",
                             "pause does not bind",
                             "hold binds",
                             "evaluation binds",
                             "decision binds",
                             "decision does not bind",
                             "mode Active",
                             "mode DryRun",
                             "mode Disabled",
                             "metric Resource",
                             "metric ContainerResource",
                             "metric Pods",
                             "metric Object",
                             "metric External",
                             "outcome 0",
                             "outcome 1",
                             "outcome 2",
                             "outcome 3"}) {
    EXPECT_TRUE(seen.contains(wanted)) << wanted;
  }
}

}  // namespace
}  // namespace ballast::golden
