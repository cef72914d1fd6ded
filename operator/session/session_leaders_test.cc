// What a session continues from: the store, the status memory, and what other replicas of the
// operator did meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/session/session.h"
#include "operator/session/testing/session_fixture.h"

namespace ballast::session {
namespace {

using engine::ScaleEvent;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SessionLeadersTest : public SessionFixture {
 protected:
  // Of the replica that writes as `writer`; others may lead.
  SessionOptions OptionsOf(const char* writer) const {
    SessionOptions options = options_;
    options.writer = writer;
    options.others_lead = true;
    return options;
  }
};

TEST_F(SessionLeadersTest, AnEmptyStoreGoesOnFromTheStatusMemory) {
  api::Behavior& behavior = autoscaler_.object.spec.behavior.emplace();
  behavior.scale_up.emplace();
  behavior.scale_up->policies = {{"Pods", 2, 60}};
  const ScaleEvent before{clock_.Now() - Duration::Seconds(10), 2};
  autoscaler_.memory->memory.scale_ups = {before};
  source_.queue = 40;
  const auto session = NewSession();
  Evaluate(*session);
  // Another replica has scaled up by 2 within the minute, which is all that the policy allows.
  EXPECT_THAT(scale_.writes, IsEmpty());
  EXPECT_EQ(ReasonOf(api::kScalingLimited), "ScaleUpLimit");
  EXPECT_THAT(autoscaler_.memory->memory.scale_ups, ElementsAre(before));
  clock_.Advance(seconds(61));
  Evaluate(*session);
  EXPECT_EQ(scale_.writes.size(), 1u);
  EXPECT_THAT(autoscaler_.memory->memory.scale_ups, ElementsAre(ScaleEvent{clock_.Now(), 2}));
}

// Whoever evaluates waits for no answer, which may take as long as an API server that hangs.
TEST_F(SessionLeadersTest, WhatAnotherLeaderRemembersIsAskedForAsAllElseIs) {
  const auto session = NewSession();
  const MetricsAnswer seen{.request = {.period = Duration::Seconds(15)}};
  const Progress progress = session->Evaluate(Watched(), seen);
  const auto& fetch = std::get<FetchMetrics>(std::get<Request>(progress));
  EXPECT_TRUE(fetch.stored && fetch.metrics);
  EXPECT_EQ(fetch.period, seen.request.period);
  EXPECT_EQ(autoscaler_.reads, 0);
  EXPECT_THAT(ledger_.decisions, IsEmpty());
  Finish(*session, progress);
  Evaluate(*session);
  EXPECT_EQ(autoscaler_.reads, 1) << "once";
}

// Either may be of the target of before.
TEST_F(SessionLeadersTest, AMemoryCountsForItsTarget) {
  const struct {
    const char* name;
    const char* stored;      // the target of which the store knows
    const char* remembered;  // that of which the other leader does
    bool broken_off;         // evaluations with this store
    std::size_t writes;
  } kCases[] = {{"the other leader knows it", "d0", "d1", false, 0},
                {"the other leader alone evaluated", "d0", "d1", true, 0},
                {"the store knows it", "d1", "d0", false, 0},
                {"both know it", "d1", "d1", false, 0},
                {"neither knows it", "d0", "d0", false, 1}};
  api::Behavior& behavior = autoscaler_.object.spec.behavior.emplace();
  behavior.scale_up.emplace();
  behavior.scale_up->policies = {{"Pods", 2, 60}};
  source_.queue = 40;
  const SessionOptions options = OptionsOf("b");
  for (const auto& c : kCases) {
    BeginCase(c.name);
    const Time old = clock_.Now() - Duration::Seconds(600);
    const ScaleEvent scaled{clock_.Now() - Duration::Seconds(10), 2};
    std::vector<engine::Recommendation> recommendations;
    if (!c.broken_off) {
      recommendations = {{old, 2}};
    }
    ledger_.Append(store::Evaluated{
        {.subject = {c.name, api::kPolicyKind, {"shop", "web"}}, .time = old},
        {.recommendations = recommendations, .scale_ups = {scaled}, .target = c.stored},
        nullptr});
    autoscaler_.memory = StatusMemory{.writer = "a"};
    autoscaler_.memory->memory.target = c.remembered;
    autoscaler_.memory->memory.scale_ups = {scaled};
    Evaluate(*NewSession(ports_, options));
    EXPECT_EQ(scale_.writes.size(), c.writes) << c.name;
    EXPECT_EQ(autoscaler_.memory->memory.target, "d1") << c.name;
  }
}

// It was edited while another led.
TEST_F(SessionLeadersTest, AnEditedTargetIsKnownToWhomEvaluatedIt) {
  source_.queue = 40;
  const SessionOptions options = OptionsOf("b");
  api::Behavior& behavior = autoscaler_.object.spec.behavior.emplace();
  behavior.scale_up.emplace();
  behavior.scale_up->policies = {{"Pods", 2, 60}};
  for (const auto& [name, remembered, writes] :
       {std::tuple("by the other", "d1", 0U), std::tuple("by nobody", "d0", 1U)}) {
    BeginCase(name);
    source_.queue = 20;
    Evaluate(*NewSession(ports_, options));
    autoscaler_.object.spec.scale_target_ref.name += "-other";
    ++autoscaler_.object.metadata.generation;
    source_.queue = 40;
    autoscaler_.memory = StatusMemory{.writer = "a"};
    autoscaler_.memory->memory.target = remembered;
    autoscaler_.memory->memory.scale_ups = {{clock_.Now() - Duration::Seconds(10), 2}};
    Evaluate(*NewSession(ports_, options));
    EXPECT_EQ(scale_.writes.size(), writes) << name;
  }
}

// The leader before has evaluated a target that the watch does not have yet.
TEST_F(SessionLeadersTest, ATargetThatTheWatchDoesNotHaveIsReadBeforeItsMemoryCounts) {
  api::Behavior& behavior = autoscaler_.object.spec.behavior.emplace();
  behavior.scale_up.emplace();
  behavior.scale_up->policies = {{"Pods", 4, 60}};
  source_.queue = 60;
  autoscaler_.memory = StatusMemory{.writer = "a"};
  autoscaler_.memory->memory.target = "d2";
  const ScaleEvent scaled{clock_.Now() - Duration::Seconds(10), 2};
  autoscaler_.memory->memory.scale_ups = {scaled};
  const SessionOptions options = OptionsOf("b");
  const auto session = NewSession(ports_, options);
  scale_.unseen = Error{Code::kUnavailable, "no answer"};
  Evaluate(*session);
  EXPECT_THAT(scale_.writes, IsEmpty());
  EXPECT_EQ(ReasonOf(api::kReady), "FailedGetScale");
  api::Scale newer = scale_.present;
  newer.metadata.uid = "d2";
  scale_.unseen = newer;
  Evaluate(*session);
  ASSERT_EQ(scale_.writes.size(), 1u);
  EXPECT_EQ(scale_.writes[0].uid, "d2");
  EXPECT_THAT(session->memory().memory().scale_ups,
              ElementsAre(scaled, ScaleEvent{clock_.Now(), 2}));
}

// The same, and the watch has one that was evaluated here before: of the newer one the status has
// no present recommendation.
TEST_F(SessionLeadersTest, ANewerTargetOfAnotherLeaderIsScaledInAfterAWindow) {
  const SessionOptions options = OptionsOf("b");
  source_.queue = 20;
  Evaluate(*NewSession(ports_, options));
  autoscaler_.memory = StatusMemory{.writer = "a"};
  autoscaler_.memory->memory.target = "d2";
  autoscaler_.memory->memory.recommendations = {{clock_.Now(), 2}};
  api::Scale newer = scale_.present;
  newer.metadata.uid = "d2";
  newer.spec_replicas = 10;
  scale_.unseen = newer;
  const auto session = NewSession(ports_, options);
  clock_.Advance(seconds(15));
  Evaluate(*session);
  EXPECT_THAT(scale_.writes, IsEmpty());
  scale_.present = newer;
  EvaluateFor(*session, seconds(45));
  EXPECT_THAT(scale_.writes, IsEmpty());
}

// As where it was edited and edited back; others may have scaled in meanwhile.
TEST_F(SessionLeadersTest, WhatWasRecommendedBeforeAnotherTargetScalesNothingOut) {
  const SessionOptions options = OptionsOf("b");
  source_.queue = 80;
  Evaluate(*NewSession(ports_, options));
  ASSERT_EQ(scale_.writes.size(), 1u) << "2 to 4, of 8 that are recommended";
  autoscaler_.memory = StatusMemory{.writer = "a"};
  autoscaler_.memory->memory.target = "d0";
  scale_.Set(3, "kubectl");
  source_.queue = 10;
  const auto session = NewSession(ports_, options);
  EvaluateFor(*session, seconds(300));
  EXPECT_EQ(scale_.writes.size(), 1u);
  EvaluateFor(*session, seconds(30));
  ASSERT_EQ(scale_.writes.size(), 2u);
  EXPECT_EQ(scale_.writes[1].to, 1);
}

class AnotherLeaderMeanwhile : public SessionLeadersTest,
                               public testing::WithParamInterface<bool> {};

// B leads, then A briefly, then B again: B's store does not know what A did, however short that
// was, and whether or not A's status arrived.
TEST_P(AnotherLeaderMeanwhile, HoldsItsWholeWindow) {
  const bool arrives = GetParam();
  autoscaler_.object.spec.sync_period_seconds = 300;
  InMemoryLedger other;
  const Ports others = With(other);
  const SessionOptions of_b = OptionsOf("b");
  const SessionOptions of_a = OptionsOf("a");
  Evaluate(*NewSession(ports_, of_b));
  EXPECT_EQ(autoscaler_.memory->writer, "b");
  clock_.Advance(seconds(60));
  source_.queue = 40;
  const Result<StatusMemory> before = autoscaler_.memory;
  Evaluate(*NewSession(others, of_a));
  ASSERT_EQ(scale_.writes.size(), 1u) << "2 to 4";
  EXPECT_EQ(autoscaler_.memory->writer, "a");
  if (!arrives) {
    autoscaler_.memory = before;
  }
  source_.queue = 10;
  leadership_.others_led = !arrives;
  const auto again = NewSession(ports_, of_b);
  for (int passed = 0; passed < 300; passed += 60) {
    clock_.Advance(seconds(60));
    Evaluate(*again);
    EXPECT_EQ(scale_.writes.size(), 1u) << passed;
  }
  clock_.Advance(seconds(61));
  Evaluate(*again);
  EXPECT_EQ(scale_.writes.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Status, AnotherLeaderMeanwhile, testing::Values(true, false),
                         [](const auto& arrives) { return arrives.param ? "Arrived" : "Lost"; });

// What another leader left is kept where it is until an evaluation has made use of it.
TEST_F(SessionLeadersTest, AnotherLeadersMemoryOutlivesAnEvaluationWithoutAScale) {
  const SessionOptions options = OptionsOf("b");
  autoscaler_.memory = StatusMemory{.writer = "a", .term = 1};
  source_.queue = 10;
  scale_.unreadable = Error{Code::kNotFound, "deployments.apps \"web\" not found"};
  Evaluate(*NewSession(ports_, options));
  EXPECT_THAT(autoscaler_.last_write(), Not(HasSubstr(R"("memory")")));
  clock_.Advance(seconds(15));
  scale_.unreadable.reset();
  const auto again = NewSession(ports_, options);
  for (int passed = 0; passed < 300; passed += 15) {
    Evaluate(*again);
    EXPECT_THAT(scale_.writes, IsEmpty()) << passed;
    clock_.Advance(seconds(15));
  }
  EXPECT_EQ(autoscaler_.memory->writer, "b");
}

TEST_F(SessionLeadersTest, ARestartThatFindsItsOwnMemoryHoldsNothingForLonger) {
  const SessionOptions options = OptionsOf("b");
  Evaluate(*NewSession(ports_, options));
  source_.queue = 10;
  for (int passed = 0; passed < 300; passed += 15) {
    ASSERT_THAT(scale_.writes, IsEmpty()) << passed;
    clock_.Advance(seconds(15));
    ledger_.Restart();
    Evaluate(*NewSession(ports_, options));
  }
  clock_.Advance(seconds(15));
  ledger_.Restart();
  Evaluate(*NewSession(ports_, options));
  EXPECT_EQ(scale_.writes.size(), 1u);
}

TEST_F(SessionLeadersTest, AStatusMemoryThatIsNotReadYetIsNotOverwritten) {
  const auto session = NewSession();
  Finish(*session,
         session->Refuse(Watched(), {api::kConflicted, "Any", "another one scales it"}, {}));
  EXPECT_EQ(ReasonOf(api::kConflicted), "Any");
  EXPECT_THAT(autoscaler_.last_write(), Not(HasSubstr("memory")));
}

// The leader before it may have acted upon an edit that this replica's watch is late with.
TEST_F(SessionLeadersTest, ANewLeaderWaitsForTheNewestSpec) {
  const struct {
    const char* name;
    int generation;  // of the policy on the API server; the watch has 1
    std::optional<Error> error;
    bool waits;
  } kCases[] = {{"edited", 2, std::nullopt, true},
                {"unreadable", 1, Error{Code::kUnavailable, "no"}, true},
                {"no right to read it", 1, Error{Code::kForbidden, "no"}, false},
                {"as the watch has it", 1, std::nullopt, false}};
  const SessionOptions options = OptionsOf("b");
  autoscaler_.object.spec.sync_period_seconds = 60;
  source_.queue = 40;
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    BeginCase(c.name);
    autoscaler_.generation = c.generation;
    autoscaler_.unreadable = c.error;
    const auto session = NewSession(ports_, options);
    const auto next = Evaluate(*session);
    EXPECT_EQ(scale_.writes.empty(), c.waits);
    EXPECT_EQ(next.period, Duration::Seconds(c.waits ? 15 : 60)) << "soon, however long the period";
    autoscaler_.generation.reset();
    autoscaler_.unreadable.reset();
    Evaluate(*session);
    EXPECT_EQ(scale_.writes.size(), 1u);
  }
}

// The store knows of an outage of before the other replica led.
TEST_F(SessionLeadersTest, AnotherLeaderKnowsSinceWhenNoMetricHasGivenAValue) {
  const struct {
    const char* name;
    std::optional<Duration> since;  // so long ago, says the other leader's status
    const char* target;             // of which it says so
    std::size_t writes;
  } kCases[] = {{"one has meanwhile", {}, "d1", 0},
                {"none has again", Duration::Seconds(20), "d1", 0},
                {"none has for long", Duration::Seconds(140), "d1", 1},
                {"one has meanwhile, of another target", {}, "d0", 0},
                {"none has for long, of another target", Duration::Seconds(140), "d0", 0}};
  autoscaler_.object.spec.fallback = api::Fallback{.after_seconds = 60, .replicas = 6};
  source_.queue.reset();
  const SessionOptions options = OptionsOf("b");
  for (const auto& c : kCases) {
    BeginCase(c.name);
    engine::Memory memory;
    memory.recommendations = {{clock_.Now() - Duration::Seconds(600), 2}};
    memory.no_value_since = clock_.Now() - Duration::Seconds(900);
    memory.target = "d1";
    ledger_.Append(store::Evaluated{{.subject = {c.name, api::kPolicyKind, {"shop", "web"}},
                                     .time = clock_.Now() - Duration::Seconds(600)},
                                    memory,
                                    nullptr});
    autoscaler_.memory = StatusMemory{.writer = "a"};
    autoscaler_.memory->memory.target = c.target;
    if (c.since) {
      autoscaler_.memory->memory.no_value_since = clock_.Now() - *c.since;
    }
    Evaluate(*NewSession(ports_, options));
    EXPECT_EQ(scale_.writes.size(), c.writes) << c.name;
  }
}

// What the first evaluation after a restart finds, and whether the process ends right after it.
struct AfterDegraded {
  const char* name;
  bool target_exists = true;
  bool killed = false;
  bool stored = true;  // what it did is on disk then
};

class LacksRecords : public SessionFixture, public testing::WithParamInterface<AfterDegraded> {};

// A process scaled up and could not store it; the last evaluation on disk is younger than two
// periods.
TEST_P(LacksRecords, SaysTheStatus) {
  const AfterDegraded& c = GetParam();
  autoscaler_.object.spec.sync_period_seconds = 60;
  const auto live = [&](store::Ledger& ledger) {
    const Ports ports = With(ledger);
    Evaluate(*NewSession(ports, options_));
  };
  live(ledger_);
  clock_.Advance(seconds(60));
  source_.queue = 40;
  InMemoryLedger not_stored;
  not_stored.says.problem = Error{Code::kFull, "no space"};
  live(not_stored);
  ASSERT_EQ(scale_.writes.size(), 1u) << "2 to 4";
  EXPECT_EQ(ReasonOf(api::kHistoryDegraded), "Full");
  clock_.Advance(seconds(5));
  source_.queue = 10;
  if (c.killed) {
    if (!c.target_exists) {
      scale_.unreadable = Error{Code::kNotFound, "deployments.apps \"web\" not found"};
    }
    InMemoryLedger lost = ledger_;
    live(c.stored ? ledger_ : lost);
    scale_.unreadable.reset();
    clock_.Advance(seconds(5));
  }
  const auto last = NewSession();
  Evaluate(*last);
  EXPECT_EQ(scale_.writes.size(), 1u);
  EvaluateFor(*last, seconds(360), seconds(60));
  EXPECT_EQ(ReasonOf(api::kHistoryDegraded), "");
  EXPECT_EQ(scale_.writes.size(), 2u) << "held for one window";
}

INSTANTIATE_TEST_SUITE_P(
    All, LacksRecords,
    testing::Values(AfterDegraded{"Found"},
                    AfterDegraded{.name = "WithoutAScale", .target_exists = false, .killed = true},
                    AfterDegraded{.name = "NotStored", .killed = true, .stored = false}),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace ballast::session
