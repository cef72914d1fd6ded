// What becomes of a session's attempts to write the scale, of this process and of earlier ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "api/autoscaling/condition_types.h"
#include "operator/session/session.h"
#include "operator/session/testing/session_fixture.h"

namespace ballast::session {
namespace {

using std::chrono::seconds;
using store::Disposition;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kOurs = "ballast";

// The policy asks for 4 replicas instead of 2, and scales up by at most 2 in a minute.
class SessionAttemptsTest : public SessionFixture {
 protected:
  SessionAttemptsTest() {
    api::Behavior& behavior = autoscaler_.object.spec.behavior.emplace();
    behavior.scale_up.emplace();
    behavior.scale_up->policies = {{"Pods", 2, 60}};
    source_.queue = 40;
  }

  // What follows is about another policy, whose writes succeed.
  void BeginAttempt(const std::string& uid) {
    BeginCase(uid);
    scale_.refused.reset();
    scale_.lost.reset();
    scale_.arrives = true;
    scale_.on_write = [] {};
    source_.queue = 40;
    ledger_.decisions.clear();
  }

  // Of the first attempt.
  Disposition disposition() const {
    for (const auto& [id, decision] : ledger_.decisions) {
      if (decision.made_by == store::MadeBy::kAttempted) {
        return decision.disposition;
      }
    }
    return Disposition::kNone;
  }
  std::size_t scale_ups() const {
    const auto known = ledger_.Recall(autoscaler_.object.metadata.uid, clock_.Now());
    return known ? known->memory.scale_ups.size() : 0;
  }
  // The process ends as by kill -9 while its write is under way.
  void Kill() {
    scale_.on_write = [] { throw std::runtime_error("like kill -9"); };
    EXPECT_THROW(Evaluate(*NewSession()), std::runtime_error);
    scale_.on_write = [] {};
    EXPECT_EQ(disposition(), Disposition::kIntended);
  }
};

TEST_F(SessionAttemptsTest, RecordsTheIntentBeforeTheRequestAndItsOutcomeAfter) {
  const auto session = NewSession();
  const Progress progress = GoOn(*session, session->Evaluate(Watched(), {}));
  const auto* request = std::get_if<Request>(&progress);
  ASSERT_NE(request, nullptr);
  const auto& write = std::get<WriteScale>(*request);
  EXPECT_EQ(write.change.uid, "d1");
  EXPECT_EQ(write.change.from, 2);
  EXPECT_EQ(write.change.to, 4);
  EXPECT_EQ(write.bounds.max, 10);
  EXPECT_EQ(disposition(), Disposition::kIntended);
  Finish(*session, progress);
  EXPECT_EQ(disposition(), Disposition::kWritten);
  EXPECT_EQ(status().desired_replicas, 4);
}

// The outcome is known, or read back from the scale.
TEST_F(SessionAttemptsTest, AWriteThatWasNotConfirmedIsReadBack) {
  const struct {
    const char* name;
    bool refused;
    bool arrives;
    std::optional<std::pair<int, const char*>> somebody;  // has set the count since
    Disposition disposition;
    std::size_t events;  // in the memory
  } kCases[] = {
      {"landed", false, true, {}, Disposition::kWritten, 1},
      {"may still arrive", false, false, {}, Disposition::kIntended, 0},
      {"somebody else wrote", false, false, {{7, "kubectl"}}, Disposition::kUnknown, 1},
      {"landed, and it is not known by whom", false, false, {{4, ""}}, Disposition::kWritten, 1},
      // The API server refused it or never received it, so the 4 is someone else's.
      {"refused, at the same count", true, false, {{4, kOurs}}, Disposition::kFailed, 0},
      {"refused, at another count", true, false, {{7, "kubectl"}}, Disposition::kFailed, 0},
      {"refused, and nothing changed", true, false, {}, Disposition::kFailed, 0},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    BeginAttempt(c.name);
    (c.refused ? scale_.refused : scale_.lost) = "no answer";
    scale_.arrives = c.arrives;
    scale_.on_write = [&] {
      if (c.somebody) {
        scale_.Set(c.somebody->first, c.somebody->second);
      }
    };
    Evaluate(*NewSession());
    EXPECT_EQ(scale_.writes.size(), 1u);
    EXPECT_EQ(disposition(), c.disposition);
    EXPECT_EQ(scale_ups(), c.events);
  }
}

// Until its outcome is known, at the latest after kSettleTime.
TEST_F(SessionAttemptsTest, NothingElseIsWrittenWhileAnAttemptIsNotSettled) {
  const struct {
    const char* name;
    int arrives;  // seconds after it was sent; -1: never
    Disposition disposition;
  } kCases[] = {{"at once", 1, Disposition::kWritten},
                {"late", 8, Disposition::kWritten},
                {"never", -1, Disposition::kFailed}};
  for (const auto& c : kCases) {
    BeginAttempt(c.name);
    scale_.lost = "no answer";
    scale_.arrives = false;
    const auto session = NewSession();
    for (int second = 0; second < kSettleTime.count() - 1; ++second) {
      SCOPED_TRACE(c.name + std::string(" ") + std::to_string(second));
      if (second == c.arrives) {
        scale_.Set(4, kOurs);
      }
      const auto next = Evaluate(*session);
      const bool settled = c.arrives >= 0 && second >= c.arrives;
      EXPECT_EQ(disposition(), settled ? c.disposition : Disposition::kIntended);
      EXPECT_EQ(scale_.writes.size(), 1u);
      if (!settled) {
        EXPECT_LE(next.sooner.value_or(next.period), Duration::Seconds(2));
      }
      if (second > 0 && !settled) {
        EXPECT_EQ(ReasonOf(api::kHeld), "UnsettledWrite");
      }
      clock_.Advance(seconds(1));
    }
    clock_.Advance(seconds(1));
    scale_.lost.reset();
    scale_.arrives = true;
    Evaluate(*session);
    EXPECT_EQ(disposition(), c.disposition) << c.name;
    // A failed write is repeated; one that arrived has used up the rate.
    EXPECT_EQ(scale_.writes.size(), c.arrives < 0 ? 2u : 1u) << c.name;
    EXPECT_EQ(scale_ups(), 1u) << c.name;
  }
}

// Whoever evaluates waits for no answer, which may take as long as an API server that hangs.
TEST_F(SessionAttemptsTest, WhatBecameOfAnAttemptIsAskedForAsAllElseIs) {
  scale_.lost = "no answer";
  scale_.arrives = false;
  const auto session = NewSession();
  Evaluate(*session);
  const api::Autoscaler attempted = autoscaler_.object;
  autoscaler_.object.spec.scale_target_ref.name = "another";
  ++autoscaler_.object.metadata.generation;
  scale_.Set(4, kOurs);
  scale_.reads = 0;
  const Progress progress = session->Evaluate(Watched(), {});
  const auto& fetch = std::get<FetchMetrics>(std::get<Request>(progress));
  ASSERT_NE(fetch.live, nullptr);
  EXPECT_EQ(fetch.live->spec.scale_target_ref.name, attempted.spec.scale_target_ref.name);
  EXPECT_EQ(fetch.autoscaler->spec.scale_target_ref.name, "another");
  EXPECT_EQ(scale_.reads, 0);
  EXPECT_EQ(disposition(), Disposition::kIntended);
  Finish(*session, progress);
  EXPECT_EQ(disposition(), Disposition::kWritten);
}

// An edit at the wrong moment is no failure of the operator's.
TEST_F(SessionAttemptsTest, AScaleThatIsNotSentIsRecordedAndNoWarning) {
  const auto session = NewSession();
  (void)GoOn(*session, session->Evaluate(Watched(), {}));
  testing::internal::CaptureStderr();
  const Progress next = session->Resume(NotSent("it was edited meanwhile", clock_.Steady()));
  const std::string logged = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(std::holds_alternative<NextEvaluation>(next)) << "no status";
  EXPECT_THAT(logged, HasSubstr(R"("level":"info","msg":"a scale was not sent")"));
  EXPECT_THAT(logged, Not(HasSubstr(R"("level":"warn")")));
  EXPECT_THAT(EventsOf("FailedRescale"), IsEmpty());
  EXPECT_EQ(disposition(), Disposition::kFailed);
}

// Written, and set back before that was known.
TEST_F(SessionAttemptsTest, AWriteThatOthersHaveUndoneCounts) {
  scale_.Set(2, kOurs);
  scale_.lost = "no answer";
  scale_.arrives = false;
  scale_.on_write = [&] {
    clock_.Advance(seconds(1));
    scale_.Set(2, "argocd");
  };
  const auto session = NewSession();
  Evaluate(*session);
  scale_.on_write = [] {};
  clock_.Advance(kSettleTime);
  Evaluate(*session);
  EXPECT_EQ(disposition(), Disposition::kUnknown);
  EXPECT_EQ(scale_ups(), 1u);
}

// An exception between intent and outcome: like a crash, but without a restart.
TEST_F(SessionAttemptsTest, AWriteThatBrokeOffIsFoundOut) {
  const struct {
    const char* name;
    int replicas;  // afterwards
    Disposition disposition;
    std::size_t events;
  } kCases[] = {{"it landed", 4, Disposition::kWritten, 1},
                {"it did not", 2, Disposition::kFailed, 0}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    BeginAttempt(c.name);
    const auto session = NewSession();
    scale_.on_write = [] { throw std::runtime_error("a defect"); };
    EXPECT_THROW(Evaluate(*session), std::runtime_error);
    EXPECT_EQ(disposition(), Disposition::kIntended);
    source_.queue = 20;
    scale_.Set(c.replicas, "");
    clock_.Advance(kLongestWait + kSettleTime);
    Evaluate(*session);
    EXPECT_EQ(disposition(), c.disposition);
    EXPECT_EQ(scale_ups(), c.events);
  }
}

TEST_F(SessionAttemptsTest, AnAttemptThatCannotBeConcludedIsSettledAsItEnded) {
  const struct {
    const char* name;
    std::optional<std::string> refused;
    Disposition disposition;
    std::size_t events;  // in the memory
  } kCases[] = {{"written", std::nullopt, Disposition::kWritten, 1},
                {"refused", "no", Disposition::kFailed, 0}};
  ledger_.before_append = [](const store::Record& record) {
    const auto* concluded = std::get_if<store::Concluded>(&record);
    if (concluded != nullptr && concluded->conclusion != nullptr) {
      throw std::runtime_error("a conclusion that cannot be printed");
    }
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    BeginAttempt(c.name);
    scale_.refused = c.refused;
    EXPECT_THROW(Evaluate(*NewSession()), std::runtime_error);
    EXPECT_EQ(disposition(), c.disposition);
    EXPECT_EQ(scale_ups(), c.events);
  }
}

// The answer was lost, and the process stood still before it looked what became of its write.
TEST_F(SessionAttemptsTest, AWriteMayBeAnothersOnceTheLeaseIsLost) {
  for (const bool leads : {true, false}) {
    BeginAttempt(leads ? "leads" : "leads no more");
    leadership_.leads_still = leads;
    scale_.lost = "no answer";
    Evaluate(*NewSession());
    EXPECT_EQ(disposition(), leads ? Disposition::kWritten : Disposition::kUnknown);
  }
}

// All autoscalers are written for as the same field manager.
TEST_F(SessionAttemptsTest, AWriteMayBeThatOfAnotherAutoscalerOfItsTarget) {
  const struct {
    const char* name;
    bool sent_for_another;
    std::int32_t present;  // replicas; the attempt was from 2 to 4
    Disposition disposition;
  } kCases[] = {
      {"alone", false, 4, Disposition::kWritten},
      {"alone, and it never arrived", false, 2, Disposition::kFailed},
      {"another, too", true, 4, Disposition::kUnknown},
      {"another that undid it", true, 2, Disposition::kUnknown},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    BeginAttempt(c.name);
    scale_.lost = "no answer";
    scale_.arrives = false;
    const auto session = NewSession();
    Evaluate(*session);
    scale_.Set(c.present, kOurs);
    scale_.sent_for_another = c.sent_for_another;
    source_.queue = 20;
    clock_.Advance(kSettleTime);
    Evaluate(*session);
    EXPECT_EQ(disposition(), c.disposition);
  }
}

// ---- Attempts of earlier processes

// An earlier run's possible write counts although its snapshot cannot be read.
TEST_F(SessionAttemptsTest, AnAttemptThatCannotBeSettledUsesUpTheRate) {
  Kill();
  ledger_.snapshots.clear();
  Evaluate(*Restart());
  EXPECT_THAT(scale_.writes, IsEmpty());
  EXPECT_EQ(disposition(), Disposition::kUnknown);
  EXPECT_EQ(scale_ups(), 1u);
}

// All replicas write as the same field manager, and each has a ledger of its own.
TEST_F(SessionAttemptsTest, AWriteThatAnotherLeaderMayHaveMadeOrUndoneIsUnknown) {
  const struct {
    const char* name;
    const char* writer;    // of the status memory; empty: there is none
    std::int64_t term;     // the same
    bool have_led;         // others, as far as is known
    std::int32_t present;  // replicas; the attempt was from 2 to 4
    Disposition disposition;
  } kCases[] = {
      {"nobody else", "b", 4, false, 4, Disposition::kWritten},
      {"one that was not seen", "b", 3, false, 4, Disposition::kUnknown},
      {"nobody yet", "", 0, false, 4, Disposition::kWritten},
      {"one whose status was lost", "", 0, true, 4, Disposition::kUnknown},
      {"another", "a", 0, false, 4, Disposition::kUnknown},
      {"nobody, and it never arrived", "", 0, false, 2, Disposition::kFailed},
      {"another that undid it", "a", 0, false, 2, Disposition::kUnknown},
  };
  options_.writer = "b";
  options_.others_lead = true;
  leadership_.term_is = 5;
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    BeginAttempt(c.name);
    leadership_.others_led = false;
    Kill();
    leadership_.others_led = c.have_led;
    autoscaler_.memory = StatusMemory{.writer = c.writer, .term = c.term};
    source_.queue = 20;
    scale_.Set(c.present, kOurs);
    clock_.Advance(kLongestIntent + kLongestWait + kSettleTime);
    Evaluate(*Restart());
    EXPECT_EQ(disposition(), c.disposition);
  }
}

// Whatever is read: a process after this one may not know that another led.
TEST_F(SessionAttemptsTest, AWriteBeforeAnotherLedIsUnknownAtTheFirstLook) {
  options_.others_lead = true;
  Kill();
  leadership_.others_led = true;
  scale_.unreadable = Error{Code::kUnavailable, "not now"};
  Evaluate(*Restart());
  EXPECT_EQ(disposition(), Disposition::kUnknown);
}

// Nor will it be known, without the right to.
TEST_F(SessionAttemptsTest, AWriteIsUnknownIfWhoLedSinceCannotBeRead) {
  options_.writer = "b";
  options_.others_lead = true;
  Kill();
  autoscaler_.memory = StatusMemory{.writer = "a"};
  source_.queue = 20;
  clock_.Advance(kLongestIntent + kLongestWait + kSettleTime);
  const auto session = Restart();
  autoscaler_.unreadable = Error{Code::kForbidden, "no right"};
  Evaluate(*session);
  EXPECT_EQ(disposition(), Disposition::kIntended);
  Evaluate(*session);
  EXPECT_EQ(disposition(), Disposition::kUnknown);
}

// A process found out that the write was applied, undid it, and could store neither.
TEST_F(SessionAttemptsTest, AWriteBeforeRecordsWereLostIsUnknown) {
  Kill();
  autoscaler_.object.status.conditions = {{api::kHistoryDegraded, "True", "Full", "", {}}};
  source_.queue = 20;
  clock_.Advance(kLongestIntent + kLongestWait + kSettleTime);
  Evaluate(*Restart());
  EXPECT_EQ(disposition(), Disposition::kUnknown);
}

}  // namespace
}  // namespace ballast::session
