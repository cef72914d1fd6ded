#include "operator/session/autoscaler_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/session/testing/fake_leadership.h"
#include "operator/session/testing/fake_ports.h"
#include "tests/support/fake_clock.h"

namespace ballast::session {
namespace {

using engine::Recommendation;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const engine::Outcome kWritten{engine::Outcome::Kind::kWritten, ""};

class AutoscalerMemoryTest : public testing::Test {
 protected:
  AutoscalerMemoryTest() {
    autoscaler_.object.kind = api::kPolicyKind;
    autoscaler_.object.metadata.generation = 1;
    options_.writer = "b";
  }

  Time Ago(std::int64_t past) const { return clock_.Now() - Duration::Seconds(past); }
  process::Instant Now() const { return process::ReadBoth(clock_); }

  // What the ledger has of an evaluation that long ago, which recommended 5 replicas.
  store::RecalledState KnownSince(std::int64_t past) const {
    store::RecalledState known{.last_evaluation = Ago(past)};
    known.memory.recommendations = {{Ago(past), 5}};
    known.memory.no_value_since = Ago(past);
    return known;
  }
  AutoscalerMemory With(const std::optional<store::RecalledState>& known) const {
    return {autoscaler_.object, known, attempts_, Now(), options_};
  }
  Past Recall(AutoscalerMemory& memory) {
    const bool reads = memory.NeedsStored(autoscaler_.object, options_);
    return memory.Recall(autoscaler_.object, attempts_, Now(), options_,
                         reads ? std::optional(autoscaler_.Read()) : std::nullopt);
  }
  // An evaluation now that recommends so many replicas.
  void Evaluate(AutoscalerMemory& memory, std::int32_t replicas, bool has_scale = true) {
    engine::Memory left = Recall(memory).memory;
    memory.Gathered(Now(), has_scale ? std::optional(3) : std::nullopt);
    left.recommendations.push_back({clock_.Now(), replicas});
    memory.Concluded(left);
  }
  // An attempt, made now, to scale from 2 to 4.
  Attempt AttemptNow() const {
    auto snapshot = std::make_shared<engine::Snapshot>(engine::testing::MakePolicy(2));
    snapshot->now = clock_.Now();
    snapshot->autoscaler.spec.behavior.emplace();  // of which rates are a part
    engine::Decision decision;
    decision.current_replicas = 2;
    decision.target_replicas = 4;
    decision.memory.recommendations = {{clock_.Now(), 4}};
    return {1, snapshot, decision, {"d1", 2, 4}, {}};
  }

  support::FakeClock clock_;
  FakeAutoscalerPort autoscaler_;
  FakeLeadership leadership_;
  SessionOptions options_{.leadership = &leadership_};
  Attempts attempts_;
};

// Whether the status memory is read, and whether what the memory has counts as interrupted.
TEST_F(AutoscalerMemoryTest, ReadsTheStatusMemoryWhereTheLedgerMayLackSomething) {
  const struct {
    const char* about;
    std::optional<std::int64_t> evaluated;  // seconds ago, says the ledger
    bool others_lead = false;
    const char* writer = "b";  // of the status memory; "b" is this one
    bool have_led = false;     // others, whatever the status says
    bool incomplete = false;   // the ledger says that it lacks records
    bool degraded = false;     // the status says so
    bool read = true;
    bool interrupted = true;
    std::vector<std::int32_t> recommended = {5, 9};
  } kCases[] = {
      {.about = "fresh", .evaluated = 30, .read = false, .interrupted = false, .recommended = {5}},
      {.about = "too long ago", .evaluated = 31},
      {.about = "never evaluated", .recommended = {9}},
      {.about = "others may lead, and did not",
       .evaluated = 30,
       .others_lead = true,
       .interrupted = false,
       .recommended = {5}},
      {.about = "another wrote", .evaluated = 30, .others_lead = true, .writer = "a"},
      {.about = "another led, and its status is lost",
       .evaluated = 30,
       .others_lead = true,
       .have_led = true},
      {.about = "it lacks records", .evaluated = 30, .incomplete = true},
      {.about = "the status says so", .evaluated = 30, .degraded = true},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.about);
    autoscaler_.reads = 0;
    autoscaler_.memory = StatusMemory{.writer = c.writer};
    autoscaler_.memory->memory.recommendations = {{Ago(40), 9}};
    autoscaler_.object.status.conditions.clear();
    if (c.degraded) {
      autoscaler_.object.status.conditions = {{api::kHistoryDegraded, "True", "Full", "", {}}};
    }
    options_.others_lead = c.others_lead;
    leadership_.others_led = c.have_led;
    std::optional<store::RecalledState> known;
    if (c.evaluated) {
      known = KnownSince(*c.evaluated);
      known->incomplete = c.incomplete;
    }
    AutoscalerMemory memory = With(known);
    const Past past = Recall(memory);
    EXPECT_EQ(autoscaler_.reads, c.read ? 1 : 0);
    EXPECT_EQ(past.interrupted, c.interrupted);
    EXPECT_EQ(past.stored_writer.value_or("-"), c.read ? c.writer : "-");
    std::vector<std::int32_t> recommended;
    for (const Recommendation& one : past.memory.recommendations) {
      recommended.push_back(one.replicas);
    }
    std::ranges::sort(recommended);
    EXPECT_EQ(recommended, c.recommended);
    EXPECT_EQ(memory.complete(), !c.interrupted);
    Evaluate(memory, 5);
    EXPECT_EQ(autoscaler_.reads, c.read ? 1 : 0) << "once";
    EXPECT_TRUE(memory.complete());
    EXPECT_FALSE(Recall(memory).interrupted);
  }
}

// The leader before may have acted upon an edit that this replica's watch is late with.
TEST_F(AutoscalerMemoryTest, WaitsForASpecThatIsNotOld) {
  const struct {
    const char* about;
    bool others_lead;
    std::int64_t generation;  // on the API server; the watch has 1
    std::optional<Error> error;
    const char* waits;  // empty: it does not
  } kCases[] = {
      {"edited", true, 2, {}, "the watch does not have its newest spec yet"},
      {"edited, and there is no other replica", false, 2, {}, ""},
      {"unreadable", true, 1, Error{Code::kUnavailable, "no"}, "it cannot be read: no"},
      {"unreadable, and there is no other replica", false, 1, Error{Code::kUnavailable, "no"}, ""},
      {"no right to read it", true, 1, Error{Code::kForbidden, "no"}, ""},
      {"as the watch has it", true, 1, {}, ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.about);
    options_.others_lead = c.others_lead;
    autoscaler_.generation = c.generation;
    autoscaler_.unreadable = c.error;
    AutoscalerMemory memory = With(KnownSince(40));
    const Past past = Recall(memory);
    EXPECT_EQ(past.waits ? past.waits->message() : "", c.waits);
    EXPECT_EQ(past.interrupted, past.waits ? false : true);
  }
}

// The evaluation before the restart is longer ago than two periods when the wait ends.
TEST_F(AutoscalerMemoryTest, AWaitAfterARestartCountsFromTheEvaluationBefore) {
  options_.others_lead = true;
  autoscaler_.memory = StatusMemory{.writer = "b"};
  autoscaler_.unreadable = Error{Code::kUnavailable, "no"};
  AutoscalerMemory memory = With(KnownSince(20));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(Recall(memory).waits);
    memory.Passed();
    clock_.Advance(seconds(15));
  }
  autoscaler_.unreadable.reset();
  const Past past = Recall(memory);
  EXPECT_FALSE(past.waits);
  EXPECT_TRUE(past.interrupted);
}

TEST_F(AutoscalerMemoryTest, AStatusMemoryThatCannotBeReadIsAsGoodAsAnInterruption) {
  autoscaler_.unreadable = Error{Code::kUnavailable, "no"};
  AutoscalerMemory memory = With(KnownSince(40));
  const Past past = Recall(memory);
  EXPECT_TRUE(past.interrupted);
  EXPECT_THAT(past.memory.recommendations, ElementsAre(Recommendation{Ago(40), 5}));
  EXPECT_EQ(past.memory.no_value_since, std::nullopt) << "another leader may know better";
  Evaluate(memory, 5);
  EXPECT_FALSE(memory.complete()) << "it is read later";
  autoscaler_.unreadable.reset();
  Evaluate(memory, 5);
  EXPECT_TRUE(memory.complete());
}

// Both last until an evaluation had a scale: without one nothing was decided.
TEST_F(AutoscalerMemoryTest, DoubtsWhatAClockOrASilenceHides) {
  const struct {
    const char* about;
    seconds set;     // the wall clock
    seconds passed;  // by the steady clock
    seconds asleep;  // the process was, of that
    bool evaluated;  // with a scale
    bool jumped;
    bool interrupted;
  } kCases[] = {
      {"nothing happened", seconds(0), seconds(15), seconds(0), true, false, false},
      {"it is only late", seconds(0), seconds(500), seconds(0), true, false, false},
      {"the clock drifts", seconds(2), seconds(15), seconds(0), true, false, false},
      {"the clock was set forward", seconds(3), seconds(15), seconds(0), true, true, false},
      {"the clock was set back", seconds(-3), seconds(15), seconds(0), true, true, false},
      {"a short sleep", seconds(0), seconds(45), seconds(30), true, false, false},
      {"a long sleep", seconds(0), seconds(45), seconds(31), true, false, true},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.about);
    AutoscalerMemory memory = With(KnownSince(15));
    Evaluate(memory, 5);
    clock_.Advance(c.passed);
    clock_.SetWall(c.set);
    options_.longest_stall = [&](process::SteadyTime) -> std::chrono::nanoseconds {
      return c.asleep;
    };
    for (const bool has_scale : {false, true}) {
      const Past past = Recall(memory);
      EXPECT_EQ(past.clock_jumped, c.jumped);
      EXPECT_EQ(past.interrupted, c.interrupted);
      Evaluate(memory, 5, has_scale);
      options_.longest_stall = [](process::SteadyTime) { return std::chrono::nanoseconds(0); };
    }
    EXPECT_FALSE(Recall(memory).clock_jumped || Recall(memory).interrupted);
  }
}

TEST_F(AutoscalerMemoryTest, AnEvaluationThatIsPassedOverIsOnlyLateForAWhile) {
  for (const std::int64_t passed : {120, 121}) {
    AutoscalerMemory memory = With(KnownSince(15));
    Evaluate(memory, 5);
    clock_.Advance(seconds(passed));
    memory.Passed();
    EXPECT_EQ(Recall(memory).interrupted, passed > 120);
  }
}

TEST_F(AutoscalerMemoryTest, WhatFollowsABreakIsAFirstEvaluation) {
  AutoscalerMemory memory = With(KnownSince(15));
  Evaluate(memory, 5);
  memory.BreakOff(engine::Break::kYielded);
  for (int i = 0; i < 2; ++i) {  // until there is a recommendation again
    const Past past = Recall(memory);
    EXPECT_EQ(past.last_evaluation, std::nullopt);
    EXPECT_THAT(past.memory.recommendations, IsEmpty());
    memory.Gathered(Now(), 3);
    memory.Concluded({});
  }
  Evaluate(memory, 3);
  EXPECT_EQ(Recall(memory).last_evaluation, clock_.Now());
}

// The ledger's last evaluation left no recommendation: then it was broken off.
TEST_F(AutoscalerMemoryTest, ARestartKnowsOfABreak) {
  store::RecalledState known = KnownSince(15);
  known.memory.recommendations.clear();
  AutoscalerMemory memory = With(known);
  EXPECT_EQ(Recall(memory).last_evaluation, std::nullopt);
}

TEST_F(AutoscalerMemoryTest, AnAttemptThatEndsLateCountsAsLongAsItsEvaluationDoes) {
  const struct {
    const char* about;
    std::optional<engine::Break> how;  // after the attempt
    bool recommended;
    std::size_t events;
  } kCases[] = {{"nothing broke off", {}, true, 1},
                {"it yielded", engine::Break::kYielded, false, 1},
                {"another target", engine::Break::kOtherTarget, false, 0}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.about);
    AutoscalerMemory memory = With(KnownSince(15));
    Evaluate(memory, 5);
    const Attempt attempt = AttemptNow();
    clock_.Advance(seconds(5));
    Evaluate(memory, 5);
    if (c.how) {
      memory.BreakOff(*c.how);
    }
    for (int i = 0; i < 2; ++i) {  // it is counted once
      memory.ConcludedLate(attempt, kWritten);
    }
    const auto& recommendations = memory.memory().recommendations;
    EXPECT_EQ(std::ranges::count(recommendations, Recommendation{attempt.snapshot->now, 4}) > 0,
              c.recommended);
    EXPECT_EQ(memory.memory().scale_ups.size(), c.events);
  }
}

TEST_F(AutoscalerMemoryTest, AnAttemptFromBeforeAnotherTargetBringsNothingBack) {
  for (const char* target : {"d0", "d1"}) {  // that another leader has served
    Attempt attempt = AttemptNow();
    attempt.decision.memory.target = "d1";
    clock_.Advance(seconds(15));
    store::RecalledState known = KnownSince(15);
    known.memory.target = "d1";
    autoscaler_.memory = StatusMemory{.writer = "a"};
    autoscaler_.memory->memory.target = target;
    options_.others_lead = true;
    AutoscalerMemory memory = With(known);
    Evaluate(memory, 1);
    memory.ConcludedLate(attempt, kWritten);
    const auto& recommendations = memory.memory().recommendations;
    EXPECT_EQ(std::ranges::count(recommendations, 4, &Recommendation::replicas),
              target == attempt.decision.memory.target ? 1 : 0);
  }
}

TEST_F(AutoscalerMemoryTest, WhatAnEarlierRunAttemptedLastIsWhatItRemembered) {
  clock_.Advance(seconds(100));
  for (const bool newer : {true, false}) {
    const store::RecalledState known = KnownSince(newer ? 15 : -15);
    Attempt attempt = AttemptNow();
    attempt.left_over = true;
    const Attempts left_over({attempt});
    const AutoscalerMemory memory(autoscaler_.object, known, left_over, Now(), options_);
    EXPECT_EQ(memory.memory().recommendations.back().replicas, newer ? 4 : 5);
    EXPECT_EQ(memory.last_evaluation(), newer ? clock_.Now() : known.last_evaluation);
  }
}

TEST_F(AutoscalerMemoryTest, NamesTheNewestUnsettledWrite) {
  AutoscalerMemory memory = With(KnownSince(15));
  EXPECT_FALSE(Recall(memory).unsettled_write);
  attempts_.Begin(AttemptNow());
  const auto unsettled = Recall(memory).unsettled_write;
  ASSERT_TRUE(unsettled);
  EXPECT_EQ(unsettled->from, 2);
  EXPECT_EQ(unsettled->to, 4);
}

TEST_F(AutoscalerMemoryTest, AZeroIsItsOwnIfItsLastWriteWasTheLastWord) {
  const struct {
    std::int32_t written;
    std::int32_t since;  // the replicas
    bool own;
  } kCases[] = {{0, 0, true}, {0, 3, false}, {2, 0, false}};
  for (const auto& c : kCases) {
    store::RecalledState known = KnownSince(15);
    known.last_write = store::ScaleWrite{.id = 1, .from = 3, .to = c.written};
    known.replicas = c.since;
    AutoscalerMemory memory = With(known);
    EXPECT_EQ(Recall(memory).own_zero, c.own) << c.written << " " << c.since;
    Past past = Recall(memory);
    memory.MeetTarget("d2", past);
    EXPECT_FALSE(past.own_zero);
  }
}

}  // namespace
}  // namespace ballast::session
