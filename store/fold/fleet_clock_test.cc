#include "store/fold/fleet_clock.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;

constexpr double kHour = 3'600;
constexpr double kYear = 365 * 24 * kHour;
constexpr Duration kPeriod = Duration::Seconds(15);

struct Step {
  double time;
  std::optional<double> before;  // of the same autoscaler
  bool back;
  double newest;
  double aged;
};

struct Row {
  const char* name;
  std::optional<double> heartbeat;  // of the previous process
  std::vector<Step> steps;
};

TEST(FleetClock, FollowsTheClockAndAgesNoFasterThanTimePasses) {
  const Row kRows[] = {
      {"PunctualEvaluations", {}, {{0, {}, false, 0, 0}, {15, 0, false, 15, 15}}},
      {"OneThatTookLongSetsNothingBack",
       {},
       {{100, {}, false, 100, 100}, {0, -15, false, 100, 100}}},
      {"SetBackAsItsOwnLastTimeShows", {}, {{0, {}, false, 0, 0}, {-3, 0, true, -3, -3}}},
      {"SetBackByMoreThanAnyEvaluationTakes",
       {},
       {{kHour, {}, false, kHour, kHour}, {0, {}, true, 0, 0}, {1, {}, false, 1, 1}}},
      {"SetForwardAndBack",
       {},
       {{0, {}, false, 0, 0},
        {kYear, 0, false, kYear, 60},
        {kYear + 15, kYear, false, kYear + 15, 90},
        {30, kYear + 15, true, 30, 30}}},
      {"BackAndForthForEver",
       {},
       {{0, {}, false, 0, 0},
        {kHour, 0, false, kHour, 60},
        {15, kHour, true, 15, 15},
        {kHour, 15, false, kHour, 75},
        {30, kHour, true, 30, 30}}},
      {"APauseIsMadeUpForAsTimeGoesOn",
       0,
       {{60, {}, false, 60, 60}, {600, {}, false, 600, 120}, {615, 600, false, 615, 150}}},
      {"AFileFromTheFuture", kYear, {{0, {}, true, 0, 0}, {15, 0, false, 15, 15}}},
      {"AFileFromAMomentAhead", 60, {{0, {}, true, 0, 0}}},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    FleetClock clock = row.heartbeat ? FleetClock(At(*row.heartbeat)) : FleetClock();
    for (const Step& step : row.steps) {
      const auto before = step.before ? std::optional(At(*step.before)) : std::nullopt;
      EXPECT_EQ(clock.Advance(At(step.time), kPeriod, before), step.back) << step.time;
      EXPECT_EQ(clock.newest(), At(step.newest)) << step.time;
      EXPECT_EQ(clock.aged(), At(step.aged)) << step.time;
    }
  }
}

// In a replica that does not lead.
TEST(FleetClock, TimePassesWithoutEvaluationsToo) {
  FleetClock clock(At(0));
  clock.Pass(At(kHour), Duration::Seconds(60));
  EXPECT_EQ(clock.aged(), At(120)) << "no faster than twice the time, wherever it began";
  clock.Pass(At(kYear), Duration::Seconds(60));
  EXPECT_EQ(clock.aged(), At(240)) << "nor if the clock was set";
  clock.Pass(At(180), Duration::Seconds(60));
  EXPECT_EQ(clock.aged(), At(180));
  EXPECT_EQ(clock.newest(), At(0)) << "the heartbeat is that of evaluations";
  clock.Advance(At(200), kPeriod, std::nullopt);
  EXPECT_EQ(clock.aged(), At(200));
  clock.Pass(At(kYear), Duration::Seconds(60));
  EXPECT_EQ(clock.aged(), At(200)) << "evaluations tell the time";
  clock.Pass(At(kYear), Duration::Seconds(60));
  EXPECT_EQ(clock.aged(), At(320));
}

TEST(FleetClock, NothingAgesWhereThereIsNothing) {
  FleetClock clock;
  clock.Pass(At(kYear), Duration::Seconds(60));
  EXPECT_EQ(clock.aged(), Time(0, 0));
}

TEST(FleetClock, AFileThatIsReadLateHasNotAgedMeanwhile) {
  FleetClock clock;
  clock.Advance(At(kYear), kPeriod, std::nullopt);
  clock.Join(Time(0, 0));
  EXPECT_EQ(clock.aged(), At(kYear));
  clock.Join(At(0));
  EXPECT_EQ(clock.aged(), At(0));
  EXPECT_EQ(clock.newest(), At(kYear));
}

}  // namespace
}  // namespace ballast::store
