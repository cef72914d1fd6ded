// A session in time: whatever breaks off its evaluations, or makes it doubt what it remembers,
// nothing scales in before a whole window was observed, nor much later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>

#include "api/autoscaling/condition_types.h"
#include "operator/session/session.h"
#include "operator/session/testing/session_fixture.h"
#include "store/reasons.h"

namespace ballast::session {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr seconds kPeriod{15};
constexpr seconds kWindow{300};  // the default

struct ClockCase {
  std::string name;
  seconds set{0};     // the wall clock is set by that much
  seconds asleep{0};  // the process is stopped for that long
  bool restart = false;
  seconds slow{0};        // each tenth answer takes that long
  seconds late{0};        // each evaluation is that late
  bool blind = false;     // the first evaluation after it finds no scale
  bool recalled = false;  // after the restart the memory is recalled before it
  bool again = false;     // a restart follows, after the first evaluation
};

void PrintTo(const ClockCase& c, std::ostream* out) { *out << c.name; }

class SessionInTime : public SessionFixture, public testing::WithParamInterface<ClockCase> {
 protected:
  // Evaluates once a period until the scale is written or `most` has passed; returns the time
  // passed.
  seconds EvaluateUntilWritten(Session& session, seconds most) {
    const std::size_t before = scale_.writes.size();
    seconds passed{0};
    while (passed < most && scale_.writes.size() == before) {
      clock_.Advance(kPeriod + GetParam().late);
      passed += kPeriod + GetParam().late;
      Evaluate(session);
    }
    return passed;
  }
};

// Whatever the clock does when the load falls, the scale-in comes one window after the last
// recommendation to stay: never earlier, and not hours later.
TEST_P(SessionInTime, ScalesInWhenTheWindowIsOver) {
  const ClockCase& c = GetParam();
  source_.on_gather = [&, asked = 0]() mutable {
    clock_.Advance(++asked % 10 == 0 ? c.slow : seconds(0));
  };
  auto session = NewSession();
  EvaluateUntilWritten(*session, seconds(120));
  ASSERT_THAT(scale_.writes, IsEmpty());

  source_.queue = 10;
  const auto disturb = [&] {
    clock_.SetWall(c.set);
    clock_.Advance(c.asleep);
    asleep_ = c.asleep;
    awake_ = clock_.Steady();
  };
  if (!c.recalled) {
    disturb();
  }
  if (c.restart) {
    session = Restart();
  }
  if (c.recalled) {
    disturb();
  }
  if (c.blind) {
    scale_.unreadable = Error{Code::kNotFound, "deployments.apps \"web\" not found"};
    Evaluate(*session);
    scale_.unreadable.reset();
  }
  if (c.again) {
    session = Restart();
  }
  const auto passed = EvaluateUntilWritten(*session, seconds(900));
  ASSERT_EQ(scale_.writes.size(), 1u);
  EXPECT_EQ(scale_.writes[0].to, 1);
  EXPECT_GE(passed, kWindow - c.slow);
  EXPECT_LE(passed, kWindow + 2 * (kPeriod + c.late));
}

INSTANTIATE_TEST_SUITE_P(
    All, SessionInTime,
    testing::Values(
        ClockCase{"Undisturbed"}, ClockCase{"SetForward", hours(1)},
        ClockCase{"SetBack", -hours(1)}, ClockCase{"SetBackALittle", -seconds(40)},
        ClockCase{"Asleep", {}, hours(1)}, ClockCase{"AsleepAndSetBack", -hours(2), hours(1)},
        ClockCase{"Restarted", {}, {}, true}, ClockCase{"RestartedAfterLong", {}, hours(1), true},
        ClockCase{"SetForwardAndRestarted", hours(1), {}, true},
        ClockCase{"SetBackAndRestarted", -hours(1), {}, true},
        ClockCase{.name = "RestartedAndThenSetForward",
                  .set = hours(1),
                  .restart = true,
                  .recalled = true},
        ClockCase{.name = "RestartedAndThenAsleep",
                  .asleep = hours(1),
                  .restart = true,
                  .recalled = true},
        ClockCase{.name = "SetForwardUnseen", .set = hours(1), .blind = true},
        ClockCase{.name = "AsleepUnseen", .asleep = hours(1), .blind = true},
        ClockCase{
            .name = "RestartedAfterLongUnseen", .asleep = hours(1), .restart = true, .blind = true},
        ClockCase{
            .name = "SetForwardUnseenAndRestarted", .set = hours(1), .blind = true, .again = true},
        ClockCase{
            .name = "AsleepUnseenAndRestarted", .asleep = hours(1), .blind = true, .again = true},
        ClockCase{.name = "RestartedAfterLongUnseenAndRestarted",
                  .asleep = hours(1),
                  .restart = true,
                  .blind = true,
                  .again = true},
        ClockCase{.name = "SlowAnswers", .slow = seconds(3)},
        ClockCase{.name = "Late", .late = seconds(16)},
        ClockCase{.name = "VeryLate", .late = seconds(50)}),
    [](const auto& c) { return c.param.name; });

struct BreakCase {
  std::string name;
  bool refused = false;  // by its spec, or for another autoscaler
  std::function<void(api::Autoscaler&)> edit = [](api::Autoscaler&) {};
  bool other_target = false;  // it is evaluated at once, and has another target
};

void PrintTo(const BreakCase& c, std::ostream* out) { *out << c.name; }

// What a policy remembers counts as long as its evaluations of one target continue each other.
class BrokenOff : public SessionFixture,
                  public testing::WithParamInterface<std::tuple<BreakCase, bool>> {
 protected:
  void SetUp() override {
    autoscaler_.object.spec.fallback = api::Fallback{.after_seconds = 60, .replicas = 6};
    EvaluateFor(*session_, minutes(2));
    ASSERT_THAT(scale_.writes, IsEmpty());
  }

  // The target has so many replicas from now on, by whoever set them.
  void Find(int replicas) {
    clock_.Advance(seconds(1));
    scale_.Set(replicas, "kubectl");
    if (std::get<0>(GetParam()).other_target) {
      scale_.present.metadata.uid = "d2";
    }
  }

  void Edit(const std::function<void(api::Autoscaler&)>& edit) {
    api::ObjectMeta& metadata = autoscaler_.object.metadata;
    metadata.resource_version = std::to_string(std::stoi(metadata.resource_version) + 1);
    ++metadata.generation;
    edit(autoscaler_.object);
  }

  // Evaluations are broken off, and after a period go on; with a new process or not.
  void BreakOff() {
    const auto& [c, restarts] = GetParam();
    const api::AutoscalerSpec before = autoscaler_.object.spec;
    Edit(c.edit);
    if (!c.other_target) {
      clock_.Advance(kPeriod);
      Finish(*session_, c.refused ? session_->Refuse(Watched(), {api::kConflicted, "Any", "no"}, {})
                                  : session_->Evaluate(Watched(), {}));
    }
    if (restarts) {
      session_ = Restart();
    }
    if (!c.other_target) {
      Edit([&](api::Autoscaler& policy) { policy.spec = before; });
    }
  }

  std::unique_ptr<Session> session_ = NewSession();
};

// Somebody has scaled out meanwhile, which the metrics do not ask for.
TEST_P(BrokenOff, NothingIsScaledInForAWholeWindow) {
  Find(9);
  source_.queue = 10;
  BreakOff();
  EvaluateFor(*session_, kWindow);
  EXPECT_THAT(scale_.writes, IsEmpty());
  EvaluateFor(*session_, 2 * kPeriod);
  EXPECT_EQ(scale_.writes.size(), 1u);
  EXPECT_TRUE(!std::get<0>(GetParam()).other_target || ledger_.foreign_changes.empty())
      << "nobody scaled it";
}

// Others have scaled in: what was recommended before does not scale out again.
TEST_P(BrokenOff, NothingIsScaledOutForWhatWasRecommendedBefore) {
  Find(1);
  source_.queue = 10;
  BreakOff();
  EvaluateFor(*session_, 2 * kWindow);
  EXPECT_THAT(scale_.writes, IsEmpty());
}

TEST_P(BrokenOff, TheFallbackWaitsAnew) {
  source_.queue.reset();
  EvaluateFor(*session_, 3 * kPeriod);
  Find(2);
  BreakOff();
  EvaluateFor(*session_, 4 * kPeriod);
  EXPECT_THAT(scale_.writes, IsEmpty());
  EvaluateFor(*session_, kPeriod);
  EXPECT_EQ(scale_.writes.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    By, BrokenOff,
    testing::Combine(
        testing::Values(BreakCase{.name = "ARefusal", .refused = true},
                        BreakCase{.name = "ModeDisabled",
                                  .edit = [](auto& policy) { policy.spec.mode = "Disabled"; }},
                        BreakCase{
                            .name = "AnotherTarget",
                            .edit = [](auto& policy) { policy.spec.scale_target_ref.name = "api"; },
                            .other_target = true},
                        BreakCase{.name = "ATargetCreatedAgain", .other_target = true}),
        testing::Bool()),
    [](const auto& c) {
      return std::get<0>(c.param).name + (std::get<1>(c.param) ? "AndARestart" : "");
    });

struct PassCase {
  std::string name;
  seconds window;
  seconds lasts;
  bool interrupts;
};

void PrintTo(const PassCase& c, std::ostream* out) { *out << c.name; }

class PassedOver : public SessionFixture, public testing::WithParamInterface<PassCase> {};

// What a late evaluation would have recommended, it recommends now; what was so for longer than a
// window, or than a view may be old, nobody knows.
TEST_P(PassedOver, OnlyForLongCountsAsAnInterruption) {
  constexpr seconds kShortPeriod{5};
  const auto& [name, window, lasts, interrupts] = GetParam();
  autoscaler_.object.spec.sync_period_seconds = 5;
  api::Behavior& behavior = autoscaler_.object.spec.behavior.emplace();
  behavior.scale_down.emplace();
  behavior.scale_down->stabilization_window_seconds = window.count();
  behavior.scale_down->policies = {{"Percent", 100, 15}};
  options_.max_view_age = Duration::Seconds(120);
  const auto session = NewSession();
  EvaluateFor(*session, kShortPeriod, kShortPeriod);
  source_.queue = 10;
  clock_.Advance(lasts);
  EXPECT_EQ(session->Pass(autoscaler_.object, {.cause = "no news of it"}).period,
            Duration::Seconds(5));
  EvaluateFor(*session, interrupts ? window : window - lasts - kShortPeriod, kShortPeriod);
  EXPECT_THAT(scale_.writes, IsEmpty());
  EvaluateFor(*session, 2 * kShortPeriod, kShortPeriod);
  EXPECT_EQ(scale_.writes.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(All, PassedOver,
                         testing::Values(PassCase{"Short", seconds(60), seconds(15), false},
                                         PassCase{"AsLongAsAWindow", seconds(60), seconds(60),
                                                  true},
                                         PassCase{"NotSo", seconds(180), seconds(115), false},
                                         PassCase{"Long", seconds(180), seconds(125), true}),
                         [](const auto& c) { return c.param.name; });

class SessionContinuityTest : public SessionFixture {
 protected:
  // Evaluates for a minute, and then for more than a window without a value.
  void BeSilent(Session& session) {
    const Time old = clock_.Now() - Duration::Seconds(600);
    EvaluateFor(session, seconds(60));
    source_.sampled = old;
    EvaluateFor(session, kWindow + seconds(30));
    source_.sampled.reset();
  }
};

// Whoever asks why nothing was scaled is told.
TEST_F(SessionContinuityTest, AnEvaluationThatWasDueAndIsPassedOverIsOnRecord) {
  const auto session = NewSession();
  Evaluate(*session);
  clock_.Advance(kPeriod / 2);
  session->Pass(autoscaler_.object, {.cause = "no news of it"});
  EXPECT_EQ(ledger_.decisions.size(), 1u) << "it was not due before";
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(kPeriod / 3);
    session->Pass(autoscaler_.object, {.cause = "no news of it"});
  }
  ASSERT_EQ(ledger_.decisions.size(), 2u);
  const store::DecisionAdded& passed = ledger_.decisions.rbegin()->second;
  EXPECT_EQ(passed.made_by, store::MadeBy::kRefused);
  EXPECT_EQ(passed.reason, store::kOutOfDate);
  EXPECT_EQ(passed.message, "no news of it");
  EXPECT_EQ(passed.current_replicas, 2);
  clock_.Advance(seconds(4));
  const auto known = ledger_.Recall("p1", clock_.Now());
  EXPECT_EQ(clock_.Now() - known->last_evaluation, Duration::Seconds(61)) << "it was none";
  EXPECT_FALSE(known->memory.recommendations.empty());
}

// Others may have scaled it meanwhile, and it may still be scaled up by two a minute.
TEST_F(SessionContinuityTest, ATargetThatIsNamedAgainWasScaledWhenItWas) {
  api::Behavior& behavior = autoscaler_.object.spec.behavior.emplace();
  behavior.scale_up.emplace();
  behavior.scale_up->policies = {{"Pods", 2, 60}};
  source_.queue = 40;
  const auto session = NewSession();
  Evaluate(*session);
  ASSERT_EQ(scale_.writes.size(), 1u) << "2 to 4";
  const auto name_target = [&](const char* name) {
    autoscaler_.object.spec.scale_target_ref.name = name;
    ++autoscaler_.object.metadata.generation;
    clock_.Advance(kPeriod);
    Evaluate(*session);
  };
  scale_.unreadable = Error{Code::kNotFound, "there is none"};
  name_target("none");
  scale_.unreadable.reset();
  scale_.Set(1, "kubectl");
  source_.queue = 10;
  name_target("web");
  EXPECT_EQ(scale_.writes.size(), 1u) << "what was recommended of it before is forgotten";
  source_.queue = 40;
  clock_.Advance(kPeriod);
  Evaluate(*session);
  EXPECT_EQ(scale_.writes.size(), 1u);
  clock_.Advance(kPeriod);
  Evaluate(*session);
  EXPECT_EQ(scale_.writes.size(), 2u);
}

// A right may be missing, or the API server; the watch has the target all the same.
TEST_F(SessionContinuityTest, ATargetMadeAnewThatCannotBeReadIsLeftAloneAndTheStatusSaysSo) {
  const auto session = NewSession();
  Evaluate(*session);
  scale_.present.metadata.uid = "d2";
  scale_.unseen = Error{Code::kForbidden, "it may not get deployments/scale"};
  source_.queue = 40;
  EvaluateFor(*session, 2 * kPeriod);
  EXPECT_THAT(scale_.writes, IsEmpty());
  ASSERT_EQ(ReasonOf(api::kAbleToScale), "FailedGetScale");
  EXPECT_THAT(ConditionOf(api::kAbleToScale)->message, HasSubstr("it may not get"));
  EXPECT_EQ(ReasonOf(api::kReady), "FailedGetScale");
  scale_.unseen.reset();
  EvaluateFor(*session, kPeriod);
  EXPECT_EQ(scale_.writes.size(), 1u);
}

// The source may count from zero.
TEST_F(SessionContinuityTest, TheFirstValueAfterAWindowWithoutOneScalesNothingIn) {
  const auto session = NewSession();
  BeSilent(*session);
  source_.queue = 10;
  EvaluateFor(*session, kWindow + seconds(15));
  EXPECT_THAT(scale_.writes, IsEmpty());
  EvaluateFor(*session, seconds(30));
  EXPECT_EQ(scale_.writes.size(), 1u);
}

// As where the API server refuses both, and somebody scales up because nothing else does.
TEST_F(SessionContinuityTest, AfterASilenceACountThatTheWatchDoesNotHaveIsReadBeforeItIsSeeded) {
  const auto session = NewSession();
  BeSilent(*session);
  source_.queue = 40;
  scale_.unseen = Error{Code::kTimeout, "no answer"};
  EvaluateFor(*session, kPeriod);
  EXPECT_THAT(scale_.writes, IsEmpty());
  EXPECT_EQ(ReasonOf(api::kAbleToScale), "FailedGetScale");
  api::Scale present = scale_.present;
  present.spec_replicas = 8;
  scale_.unseen = present;
  EvaluateFor(*session, kPeriod);
  scale_.unseen.reset();
  scale_.present = present;
  EvaluateFor(*session, kWindow - kPeriod);
  EXPECT_THAT(scale_.writes, IsEmpty());
  EvaluateFor(*session, seconds(30));
  EXPECT_EQ(scale_.writes.size(), 1u);
}

// Whoever evaluates waits for no answer, which may take as long as an API server that hangs.
TEST_F(SessionContinuityTest, WhatIsToBeLiveIsAskedForAsAllElseIs) {
  const auto session = NewSession();
  BeSilent(*session);
  scale_.reads = 0;
  constexpr process::SteadyTime kLast{seconds(7)};  // what was answered since serves
  const auto asks = [&] {
    const Progress progress = session->Evaluate(Watched(), {.request = {.last = kLast}});
    const auto* request = std::get_if<Request>(&progress);
    const auto* fetch = request == nullptr ? nullptr : std::get_if<FetchMetrics>(request);
    return fetch != nullptr && fetch->anew && fetch->metrics && fetch->last == kLast;
  };
  EXPECT_TRUE(asks()) << "the count after a silence";
  scale_.present.metadata.uid = "d2";
  EXPECT_TRUE(asks()) << "a target made anew";
  EXPECT_EQ(scale_.reads, 0);
}

TEST_F(SessionContinuityTest, WhoSetTheReplicasIsAskedForAsAllElseIs) {
  const auto session = NewSession();
  Evaluate(*session);
  scale_.Set(7, "kubectl");
  scale_.reads = 0;
  constexpr process::SteadyTime kLast{seconds(7)};  // what was answered since serves
  const Progress progress = session->Evaluate(Watched(), {.request = {.last = kLast}});
  const auto& fetch = std::get<FetchMetrics>(std::get<Request>(progress));
  EXPECT_TRUE(fetch.managed && fetch.metrics && !fetch.anew && fetch.last == kLast);
  EXPECT_EQ(scale_.reads, 0);
  EXPECT_THAT(ledger_.foreign_changes, IsEmpty());
  Finish(*session, progress);
  ASSERT_EQ(ledger_.foreign_changes.size(), 1u);
  EXPECT_EQ(ledger_.foreign_changes[0].manager, "kubectl");
}

// By the time of the clock that was set, no metric has given a value for an hour.
TEST_F(SessionContinuityTest, TheFallbackWaitsAnewWhereAClockWasSet) {
  autoscaler_.object.spec.fallback = api::Fallback{.after_seconds = 60, .replicas = 6};
  source_.queue.reset();
  const auto session = NewSession();
  EvaluateFor(*session, 3 * kPeriod);
  clock_.SetWall(hours(1));
  EvaluateFor(*session, 4 * kPeriod);
  EXPECT_THAT(scale_.writes, IsEmpty());
  EvaluateFor(*session, kPeriod);
  EXPECT_EQ(scale_.writes.size(), 1u);
}

}  // namespace
}  // namespace ballast::session
