// spec.schedules in a session: what is evaluated when, and what the status shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "operator/session/testing/session_fixture.h"

namespace ballast::session {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SessionSchedulesTest : public SessionFixture {
 protected:
  Time After(std::int64_t minute) const { return begin_ + Duration::Seconds(minute * 60); }

  // From and to so many minutes after the beginning; both are whole minutes of a day of UTC.
  api::Schedule Between(std::int64_t from, std::int64_t to) const {
    api::Schedule schedule;
    schedule.name = "launch";
    schedule.time_zone = "UTC";
    schedule.from = Print(After(from)).substr(11, 5);
    schedule.to = Print(After(to)).substr(11, 5);
    schedule.ramp_minutes = 0;
    return schedule;
  }

  static api::Schedule Floor(std::int32_t replicas, api::Schedule schedule) {
    schedule.min_replicas = replicas;
    return schedule;
  }
  static api::Schedule Ceiling(std::int32_t replicas, api::Schedule schedule) {
    schedule.max_replicas = replicas;
    return schedule;
  }

  // Evaluates as the controller does until then, whenever the session is due.
  void RunUntil(Session& session, Time until) {
    for (;;) {
      const NextEvaluation next = Evaluate(session);
      evaluated_.push_back(clock_.Now());
      const Duration wait = std::min(next.period, next.sooner.value_or(next.period));
      if (clock_.Now() + wait > until) {
        return;
      }
      clock_.Advance(std::chrono::nanoseconds(std::max<std::int64_t>(wait.nanoseconds, 1'000'000)));
    }
  }

  // The counts that were written, with the minutes after the beginning.
  std::vector<std::pair<std::int64_t, std::int32_t>> Writes() const {
    std::vector<std::pair<std::int64_t, std::int32_t>> writes;
    for (const auto& [id, decision] : ledger_.decisions) {
      if (decision.desired_replicas != decision.current_replicas) {
        writes.emplace_back((decision.time - begin_).nanoseconds / 60'000'000'000,
                            decision.desired_replicas);
      }
    }
    return writes;
  }

  // A whole minute.
  const Time begin_ = [this] {
    const std::int64_t part = clock_.Now().unix_seconds() % 60;
    clock_.Advance(seconds(60 - part));
    return clock_.Now();
  }();
  std::vector<Time> evaluated_;
};

TEST_F(SessionSchedulesTest, IsEvaluatedWhenAWindowStartsAndEndsHoweverLongThePeriod) {
  autoscaler_.object.spec.sync_period_seconds = 3600;
  autoscaler_.object.spec.schedules = {Ceiling(1, Between(100, 130))};
  const auto session = NewSession();
  RunUntil(*session, After(140));
  EXPECT_THAT(evaluated_, Contains(After(100)));
  EXPECT_THAT(evaluated_, Contains(After(130)));
  EXPECT_LE(evaluated_.size(), 12U);
}

TEST_F(SessionSchedulesTest, AFloorIsReachedBeforeItsWindowAndNotBeforeItsStartup) {
  autoscaler_.object.spec.schedules = {Floor(6, Between(10, 20))};
  const auto session = NewSession();
  RunUntil(*session, After(10));
  EXPECT_THAT(Writes(), ElementsAre(std::pair(std::int64_t{9}, 6)));
  EXPECT_THAT(evaluated_, Contains(After(9)));  // 60 s before, exactly
}

TEST_F(SessionSchedulesTest, AnotherProcessKnowsTheStartupFromTheStatus) {
  autoscaler_.object.spec.schedules = {Floor(6, Between(10, 20))};
  autoscaler_.object.status.schedules.emplace().startup_seconds = 180;
  const auto session = NewSession();
  RunUntil(*session, After(10));
  EXPECT_THAT(Writes(), ElementsAre(std::pair(std::int64_t{7}, 6)));
  EXPECT_EQ(status().schedules->startup_seconds, 180);
}

// Of those that share a moment, the controller evaluates scale-outs first.
TEST_F(SessionSchedulesTest, TellsWhetherABoundaryScalesOutOrIn) {
  const auto prospect = [&](const api::Schedule& schedule) {
    autoscaler_.object.spec.schedules = {schedule};
    const auto session = NewSession();
    const NextEvaluation next = Evaluate(*session);
    EXPECT_TRUE(next.sooner);
    return next.prospect;
  };
  EXPECT_EQ(prospect(Floor(6, Between(10, 20))), Prospect::kScaleOut);
  EXPECT_EQ(prospect(Ceiling(1, Between(10, 20))), Prospect::kScaleIn);
  EXPECT_EQ(prospect(Ceiling(9, Between(10, 20))), Prospect::kUnknown) << "the count stays";
}

TEST_F(SessionSchedulesTest, AnEditWithinAWindowCountsAtOnce) {
  const auto session = NewSession();
  Evaluate(*session);
  EXPECT_THAT(scale_.writes, IsEmpty());
  clock_.Advance(seconds(1));
  autoscaler_.object.metadata.generation = 2;
  autoscaler_.object.spec.schedules = {Floor(6, Between(-5, 5))};
  Evaluate(*session);
  ASSERT_EQ(scale_.writes.size(), 1U);
  EXPECT_EQ(scale_.writes[0].to, 6);
}

TEST_F(SessionSchedulesTest, TheStatusShowsWhatIsOpenAndWhatComes) {
  autoscaler_.object.spec.schedules = {Ceiling(5, Between(10, 20))};
  const auto session = NewSession();
  Evaluate(*session);
  ASSERT_TRUE(status().schedules);
  EXPECT_THAT(status().schedules->active, IsEmpty());
  EXPECT_EQ(status().schedules->next, (api::NextScheduleChange{After(10), "launch", 1, 5, "None"}));

  clock_.Advance(seconds(600));
  Evaluate(*session);
  EXPECT_THAT(status().schedules->active,
              ElementsAre(api::ActiveSchedule{"launch", After(10), After(20)}));
  EXPECT_EQ(status().schedules->next,
            (api::NextScheduleChange{After(20), "launch", 1, 10, "None"}));

  // Nothing changes, so nothing is written.
  const std::size_t written = autoscaler_.writes.size();
  clock_.Advance(seconds(15));
  Evaluate(*session);
  EXPECT_EQ(autoscaler_.writes.size(), written);

  clock_.Advance(seconds(15));
  autoscaler_.object.spec.mode = "Disabled";
  autoscaler_.object.metadata.generation = 2;
  Evaluate(*session);
  EXPECT_THAT(autoscaler_.last_write(), ::testing::HasSubstr(R"("schedules":null)"));
}

TEST_F(SessionSchedulesTest, NothingFallsAtOnceWhereAnOverrideIsRemoved) {
  engine::ScheduleWindow pin{
      .name = "web-pin", .start = begin_, .end = After(60), .ramp_minutes = 0, .pin = 8};
  pin.origin = engine::OverrideOrigin{"alice", "sale"};
  source_.overrides = {pin};
  const auto session = NewSession();
  Evaluate(*session);
  clock_.Advance(seconds(600));
  Evaluate(*session);
  source_.overrides.clear();
  RunUntil(*session, After(20));
  EXPECT_THAT(Writes(), ElementsAre(std::pair(std::int64_t{0}, 8), std::pair(std::int64_t{15}, 2)));
}

TEST_F(SessionSchedulesTest, ARefusedPolicyShowsNone) {
  autoscaler_.object.spec.schedules = {Ceiling(5, Between(-5, 5))};
  const auto session = NewSession();
  Evaluate(*session);
  ASSERT_TRUE(status().schedules);
  Finish(*session, session->Refuse(Watched(), {"Conflicted", "Any", "no"}, {}));
  EXPECT_THAT(autoscaler_.last_write(), ::testing::HasSubstr(R"("schedules":null)"));
}

}  // namespace
}  // namespace ballast::session
