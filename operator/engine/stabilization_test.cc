#include "operator/engine/stabilization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using ::testing::ElementsAre;
using testing::kNow;

const Duration kFive = Duration::Seconds(300);

TEST(StabilizeScaleDown, TheWindowIncludesItsEnd) {
  EXPECT_EQ(StabilizeScaleDown({{Ago(300), 9}}, 3, kNow, kFive), 9);
  EXPECT_EQ(StabilizeScaleDown({{Ago(301), 9}}, 3, kNow, kFive), 3);
}

TEST(Record, UsesTheLastSlotThatIsTooOldAgain) {
  std::vector<Recommendation> list{{Ago(400), 1}, {Ago(500), 2}, {Ago(10), 4}};
  Record(list, 3, kNow, kFive);
  EXPECT_THAT(list, ElementsAre(Recommendation{Ago(400), 1}, Recommendation{kNow, 3},
                                Recommendation{Ago(10), 4}));
  std::vector<Recommendation> at_the_end{{Ago(300), 9}};
  Record(at_the_end, 3, kNow, kFive);
  EXPECT_THAT(at_the_end, ElementsAre(Recommendation{Ago(300), 9}, Recommendation{kNow, 3}));
}

TEST(StabilizeBothWays, TheWindowsExcludeTheirEnds) {
  const Windows windows{Duration::Seconds(60), kFive};
  const struct {
    const char* name;
    std::vector<Recommendation> past;
    std::int32_t current;
    std::int32_t raw;
    std::int32_t stabilized;
  } kCases[] = {
      {"nothing remembered", {}, 5, 8, 8},
      {"up: the lowest of the up window", {{Ago(59), 6}, {Ago(30), 7}}, 5, 8, 6},
      {"up: never below the current count", {{Ago(30), 2}}, 5, 8, 5},
      {"up: just outside", {{Ago(60), 6}}, 5, 8, 8},
      {"down: the highest of the down window", {{Ago(299), 4}, {Ago(200), 3}}, 5, 1, 4},
      {"down: at the end of the window", {{Ago(300), 4}}, 5, 1, 1},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(StabilizeBothWays(c.past, c.current, c.raw, kNow, windows), c.stabilized) << c.name;
  }
}

TEST(WindowsOf, DefaultsToNothingUpAndTheSettingDown) {
  Settings settings;
  settings.downscale_stabilization = Duration::Milliseconds(90'700);
  api::AutoscalerSpec spec;
  EXPECT_EQ(WindowsOf(spec, settings).up, Duration());
  EXPECT_EQ(WindowsOf(spec, settings).down, Duration::Milliseconds(90'700));
  spec.behavior.emplace();
  EXPECT_EQ(WindowsOf(spec, settings).up, Duration());
  EXPECT_EQ(WindowsOf(spec, settings).down, Duration::Seconds(90)) << "whole seconds";
  spec.behavior->scale_up.emplace().stabilization_window_seconds = 600;
  EXPECT_EQ(WindowsOf(spec, settings).Longest(), Duration::Seconds(600));
}

}  // namespace
}  // namespace ballast::engine
