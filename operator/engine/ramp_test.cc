#include "operator/engine/ramp.h"

#include <gtest/gtest.h>

#include <string>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using testing::kNow;

Time In(std::int64_t seconds) { return Ago(-seconds); }

// Follows the line from step to step, as evaluations at its moments do: "60:3 120:4 ..."
std::string Follow(std::int32_t current, std::int32_t goal, std::int64_t seconds) {
  RampLine line{kNow, In(seconds)};
  std::string text;
  for (Time at = kNow; at < line.end;) {
    at = line.NextStep(at, current, goal);
    const std::int32_t next = at < line.end ? line.At(at, current, goal) : goal;
    if (next != current) {
      text += (text.empty() ? "" : " ") + std::to_string((at - kNow).nanoseconds / 1'000'000'000) +
              ":" + std::to_string(next);
      line.begin = at;
      current = next;
    }
  }
  return text;
}

TEST(RampLine, MovesStepByStepAndEndsAtItsEnd) {
  EXPECT_EQ(Follow(2, 6, 240), "60:3 120:4 180:5 240:6");
  EXPECT_EQ(Follow(6, 2, 240), "60:5 120:4 180:3 240:2");
  EXPECT_EQ(Follow(0, 3, 90), "30:1 60:2 90:3");
  EXPECT_EQ(Follow(100, 0, 60), "15:75 30:50 45:25 60:0");
  EXPECT_EQ(Follow(3, 2, 3600), "3600:2");
  EXPECT_EQ(Follow(1, 4, 20), "20:4");  // no finer than kRampStep
}

// However often an evaluation looks at it, it is never ahead of the straight line. It lags where
// evaluations miss its moments, but ends in time.
TEST(RampLine, IsNoFasterForMoreEvaluations) {
  const struct {
    std::int64_t period;
    std::int32_t lag;
  } kCases[] = {{1, 2}, {4, 3}, {15, 6}, {37, 4}};
  for (const auto& c : kCases) {
    RampLine line{kNow, In(600)};
    std::int32_t current = 40;
    for (std::int64_t second = 0; second < 600; second += c.period) {
      const std::int32_t next = line.At(In(second), current, 10);
      const auto straight = static_cast<std::int32_t>(40 - 30 * second / 600);
      EXPECT_LE(next, current) << second << " every " << c.period;
      EXPECT_GE(next, straight) << second << " every " << c.period;
      EXPECT_LE(next, straight + c.lag) << second << " every " << c.period;
      if (next != current) {
        line.begin = In(second);
        current = next;
      }
    }
    EXPECT_LE(current, 13) << c.period;
  }
}

api::AutoscalerSpec WithRates(std::vector<api::ScalingPolicy> policies, const char* select) {
  api::AutoscalerSpec spec;
  spec.behavior.emplace();
  spec.behavior->scale_up = api::ScalingRules{0, select, std::move(policies), {}};
  return spec;
}

TEST(RampByRates, ReachesTheGoalByItsEnd) {
  struct Before {
    std::int64_t seconds;  // before the end
    std::int32_t count;
  };
  const struct {
    const char* name;
    api::AutoscalerSpec spec;
    std::int64_t time;  // seconds, down to 1 replica
    std::vector<Before> counts;
  } kCases[] = {
      {"by default twice as many, or four more, each 15 s", {}, 15, {{1, 5}, {15, 5}, {16, 1}}},
      {"pods", WithRates({{"Pods", 3, 60}}, "Max"), 120, {{60, 7}, {61, 4}, {120, 4}, {121, 1}}},
      {"percent",
       WithRates({{"Percent", 50, 30}}, "Max"),
       120,
       {{30, 7}, {60, 5}, {90, 3}, {120, 2}}},
      {"the slower one",
       WithRates({{"Pods", 3, 60}, {"Pods", 100, 15}}, "Min"),
       120,
       {{60, 7}, {120, 4}}},
      {"the faster one",
       WithRates({{"Pods", 3, 60}, {"Pods", 2, 15}}, "Max"),
       60,
       {{15, 8}, {60, 2}}},
      {"not at all", WithRates({{"Pods", 3, 60}}, "Disabled"), 0, {{1, 0}, {3600, 0}}},
      {"many steps",
       WithRates({{"Pods", 1, 1}, {"Percent", 1, 1}}, "Max"),
       8,
       {{3, 7}, {8, 2}, {9, 1}, {100, 0}}},
      {"a day at most", WithRates({{"Pods", 1, 1800}}, "Max"), 14400, {{1800, 9}, {86'401, 0}}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(RampTime(c.spec, 10, 1), Duration::Seconds(c.time)) << c.name;
    for (const Before& before : c.counts) {
      EXPECT_EQ(CountBefore(c.spec, 10, Duration::Seconds(before.seconds)), before.count)
          << c.name << " " << before.seconds;
    }
  }
  EXPECT_EQ(RampTime(WithRates({{"Pods", 1, 1800}}, "Max"), 1000, 1), kLongestRamp);
}

}  // namespace
}  // namespace ballast::engine
