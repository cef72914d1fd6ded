#include "operator/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "api/autoscaling/condition_types.h"
#include "operator/session/testing/session_fixture.h"
#include "operator/telemetry/registry.h"

namespace ballast::session {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SessionTest : public SessionFixture {
 protected:
  // Scale-ups by at most two pods in `period` seconds.
  void LimitScaleUps(std::int32_t period) {
    api::Behavior& behavior = autoscaler_.object.spec.behavior.emplace();
    behavior.scale_up.emplace();
    behavior.scale_up->policies = {{"Pods", 2, period}};
  }

  const store::DecisionAdded& last_decision() const { return ledger_.decisions.rbegin()->second; }
};

TEST_F(SessionTest, WritesTheScaleOnlyInModeActive) {
  const struct {
    const char* mode;
    std::size_t writes;
    const char* held;  // the condition's message
    const char* recorded;
  } kCases[] = {{"Active", 1, "", "ReadyForNewScale"},
                {"DryRun", 0, "would scale from 2 to 4", "DryRun"},
                {"Disabled", 0, "spec.mode is Disabled", "Disabled"}};
  source_.queue = 40;
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.mode);
    BeginCase(c.mode);
    autoscaler_.object.spec.mode = c.mode;
    Evaluate(*NewSession());
    EXPECT_EQ(scale_.writes.size(), c.writes);
    const api::Condition* held = ConditionOf(api::kHeld);
    EXPECT_THAT(held == nullptr ? "" : held->message, HasSubstr(c.held));
    EXPECT_EQ(last_decision().reason, c.recorded);
  }
}

TEST_F(SessionTest, APolicyWithoutAPeriodHasTheInstallations) {
  options_.default_period = Duration::Seconds(60);
  EXPECT_EQ(Evaluate(*NewSession()).period, Duration::Seconds(60));
  autoscaler_.object.spec.sync_period_seconds = 20;
  EXPECT_EQ(Evaluate(*NewSession()).period, Duration::Seconds(20));
}

TEST_F(SessionTest, AStatusYieldsForItsPeriodAndTenSecondsAtMost) {
  const struct {
    std::int32_t period;
    Duration yields;
  } kCases[] = {
      {1, Duration::Seconds(1)}, {15, Duration::Seconds(10)}, {3600, Duration::Seconds(10)}};
  for (const auto& c : kCases) {
    BeginCase("of " + std::to_string(c.period) + " s");
    autoscaler_.object.spec.sync_period_seconds = c.period;
    Evaluate(*NewSession());
    ASSERT_FALSE(autoscaler_.writes.empty()) << c.period;
    EXPECT_EQ(autoscaler_.writes.back().yields, c.yields) << c.period;
  }
}

TEST_F(SessionTest, DecidesNothingOnceTheProcessIsStopping) {
  options_.stopping = [] { return true; };
  source_.queue = 40;
  Evaluate(*NewSession());
  EXPECT_THAT(scale_.writes, IsEmpty());
  EXPECT_THAT(autoscaler_.writes, IsEmpty());
  EXPECT_THAT(ledger_.decisions, IsEmpty());
}

TEST_F(SessionTest, RecordsEditsWithTheDecisionsAfterThem) {
  const auto session = NewSession();
  Evaluate(*session);
  clock_.Advance(seconds(15));
  autoscaler_.object.metadata.generation = 2;
  autoscaler_.object.metadata.resource_version = "20";
  autoscaler_.object.spec.max_replicas = 3;
  autoscaler_.object.editor = api::FieldManager{"kubectl", clock_.Now()};
  std::optional<Time> evaluated;
  ledger_.before_append = [&](const store::Record& record) {
    if (const auto* one = std::get_if<store::Evaluated>(&record)) {
      EXPECT_EQ(ledger_.edits.size(), 1u) << "recorded first";
      evaluated = one->evaluation.time;
    }
  };
  Evaluate(*session);
  ASSERT_EQ(ledger_.edits.size(), 1u);
  const store::Edit& edit = ledger_.edits[0];
  EXPECT_EQ(edit.field, "spec.maxReplicas");
  EXPECT_EQ(edit.before + " " + edit.after, "10 3");
  EXPECT_EQ(edit.manager, "kubectl");
  EXPECT_EQ(edit.managed, clock_.Now());
  EXPECT_EQ(edit.time, evaluated);
}

// ---- When it is due

TEST_F(SessionTest, IsEvaluatedAgainWhenARateLetsGo) {
  LimitScaleUps(7);
  source_.queue = 80;
  const auto session = NewSession();
  EXPECT_EQ(Evaluate(*session).sooner, Duration::Seconds(7));
  source_.sampled = clock_.Now();
  clock_.Advance(seconds(3));
  EXPECT_EQ(Evaluate(*session).sooner, Duration::Seconds(4));
  // A release during an evaluation comes too late for that evaluation.
  clock_.Advance(seconds(3));
  source_.sampled = clock_.Now();
  source_.on_gather = [this] { clock_.Advance(seconds(2)); };
  EXPECT_EQ(Evaluate(*session).sooner, Duration());
  EXPECT_EQ(scale_.writes.size(), 1u);
  source_.on_gather = [] {};
  Evaluate(*session);
  EXPECT_EQ(scale_.writes.size(), 2u);
}

// What held the count was this policy's, and nobody asks for a count now.
TEST_F(SessionTest, IsNotEvaluatedForAReleaseWhileItIsRefused) {
  LimitScaleUps(7);
  source_.queue = 80;
  const auto session = NewSession();
  EXPECT_EQ(Evaluate(*session).sooner, Duration::Seconds(7));
  for (int i = 0; i < 3; ++i) {
    const auto next =
        Finish(*session, session->Refuse(Watched(), {api::kConflicted, "Any", "no"}, {}));
    EXPECT_EQ(next.sooner, std::nullopt) << i;
    EXPECT_EQ(next.period, Duration::Seconds(15)) << i;
    clock_.Advance(seconds(4));
  }
}

// ---- What it writes

// However its words change, and however often the policy is evaluated.
TEST_F(SessionTest, AnUnchangedTroubleIsWrittenOnceAMinuteAtMost) {
  const struct {
    const char* name;
    std::function<void()> begin;
  } kTroubles[] = {
      {"a metric without an answer", [this] { source_.queue.reset(); }},
      {"samples that grow old", [this] { source_.sampled = clock_.Now(); }},
      {"pods that are not heard of",
       [this] {
         source_.queue = 1;
         source_.pods_heard = clock_.Now();
       }},
      {"a target that cannot be read",
       [this] {
         scale_.unreadable = Error{Code::kTimeout, "-"};
       }},
      {"a target that cannot be read, each time in other words",
       [this] {
         source_.on_gather = [this] {
           scale_.unreadable =
               Error{Code::kTimeout, scale_.unreadable.value_or(Error()).message + "-"};
         };
       }},
      {"a scale that is refused",
       [this] {
         source_.queue = 40;
         scale_.refused = "exceeded quota";
       }},
      {"a scale that never arrives, nor its answer",
       [this] {
         source_.queue = 40;
         scale_.lost = "no answer";
         scale_.arrives = false;
       }},
      {"a scale that cannot be read back",
       [this] {
         source_.queue = 40;
         scale_.lost = "no answer";
         scale_.on_write = [this] { scale_.unreadable = Error{Code::kTimeout, "-"}; };
       }},
      {"a trouble that comes and goes",
       [this] {
         source_.on_gather = [this] {
           source_.queue = source_.queue ? std::nullopt : std::optional(20);
         };
       }},
      {"two that take turns",
       [this] {
         source_.queue.reset();
         source_.on_gather = [this] {
           scale_.unreadable =
               scale_.unreadable ? std::nullopt : std::optional(Error{Code::kTimeout, "-"});
         };
       }},
  };
  for (const auto& trouble : kTroubles) {
    SCOPED_TRACE(trouble.name);
    BeginCase(trouble.name);
    source_.queue = 20;
    source_.sampled.reset();
    source_.pods_heard.reset();
    source_.on_gather = [] {};
    scale_.unreadable.reset();
    scale_.refused.reset();
    scale_.lost.reset();
    scale_.arrives = true;
    scale_.on_write = [] {};
    autoscaler_.object.spec.sync_period_seconds = 1;
    const auto session = NewSession();
    EvaluateFor(*session, seconds(400), seconds(1));
    trouble.begin();
    EvaluateFor(*session, seconds(60), seconds(1));
    autoscaler_.writes.clear();
    EvaluateFor(*session, seconds(600), seconds(1));
    EXPECT_LE(autoscaler_.writes.size(), 10u);
  }
}

// Pods are listed again by an evaluation, which does not wait for them: another one soon has them.
TEST_F(SessionTest, APolicyThatAnOldViewOfItsPodsHoldsIsEvaluatedAgainSoon) {
  autoscaler_.object.spec.sync_period_seconds = 300;
  api::ScalingRules& down = autoscaler_.object.spec.behavior.emplace().scale_down.emplace();
  down.stabilization_window_seconds = 0;
  down.policies = {{"Percent", 100, 15}};
  const auto session = NewSession();
  source_.pods_heard = clock_.Now();
  for (const auto& [queue, sooner] : {std::pair(20, std::optional<Duration>()),
                                      std::pair(1, std::optional(Duration::Seconds(15)))}) {
    source_.queue = queue;
    clock_.Advance(seconds(300));
    EXPECT_EQ(Evaluate(*session).sooner, sooner) << queue;
  }
  EXPECT_EQ(ReasonOf(api::kHeld), "OldView");
}

TEST_F(SessionTest, AnUnchangedRefusalIsNotWrittenAgainAndAgain) {
  const auto session = NewSession();
  for (int i = 0; i < 100; ++i) {
    Finish(*session, session->Refuse(Watched(), {api::kConflicted, "Any", "no"}, {}));
    clock_.Advance(seconds(15));
  }
  EXPECT_EQ(autoscaler_.writes.size(), 1u);
}

struct FirstCase {
  std::string name;
  std::optional<Duration> evaluated;  // how long ago, by this store
  std::int64_t observed_generation = 0;
  std::int32_t period = 15;
  Duration delay;
  bool paused = false;                   // by annotation
  bool held = false;                     // says the status
  std::optional<Duration> changes = {};  // from now, its schedules
  bool has_schedules = false;
};

TEST_F(SessionTest, WhenAPolicyIsDueAtTheStart) {
  constexpr Duration kSecond = Duration::Seconds(1);
  // Its point is half a period from now.
  const NextPoint next_point = [this](Duration period) {
    return clock_.Steady() + std::chrono::nanoseconds(period.nanoseconds / 2);
  };
  constexpr Duration kAtItsPoint = Duration::Milliseconds(7500);
  const FirstCase kCases[] = {
      {"new", {}, 0, 15, {}},
      {"edited meanwhile", kSecond, 2, 15, {}},
      {"not due yet", Duration::Seconds(5), 3, 15, Duration::Seconds(10)},
      {"overdue", Duration::Seconds(90), 3, 15, kAtItsPoint},
      {"overdue, of a short period", Duration::Seconds(90), 3, 1, Duration::Milliseconds(500)},
      {"overdue, of a long period", Duration::Seconds(7300), 3, 3600, kAtItsPoint},
      {"evaluated by another replica", {}, 3, 15, kAtItsPoint},
      {"evaluated in the future", Duration::Seconds(-60), 3, 15, Duration::Seconds(15)},
      {"paused meanwhile", kSecond, 3, 15, {}, true, false},
      {"paused, as before", kSecond, 3, 15, Duration::Seconds(14), true, true},
      {"no longer paused", kSecond, 3, 15, {}, false, true},
      {"its schedules change before it is due", kSecond, 3, 15, Duration::Seconds(4), false, false,
       Duration::Seconds(4)},
      {"its schedules have changed", kSecond, 3, 15, {}, false, false, Duration::Seconds(-9)},
      {"its schedules change later", kSecond, 3, 15, Duration::Seconds(14), false, false,
       Duration::Seconds(3600)},
      {"not due for long", kSecond, 3, 3600, Duration::Seconds(3599)},
      // A floor may have to rise before.
      {"not due for long, but has schedules", kSecond, 3, 3600, kAtItsPoint, false, false,
       Duration::Seconds(1800), true},
  };
  for (const FirstCase& c : kCases) {
    api::Autoscaler policy{.kind = api::kPolicyKind};
    policy.metadata.name = policy.metadata.uid = c.name;
    policy.metadata.generation = 3;
    if (c.paused) {
      policy.metadata.annotations["ballast.dev/paused-until"] = "2099-01-01T00:00:00Z";
    }
    if (c.held) {
      policy.status.conditions = {{api::kHeld, "True", api::kPaused, "", {}}};
    }
    if (c.changes) {
      policy.status.schedules.emplace().next =
          api::NextScheduleChange{clock_.Now() + *c.changes, "night", 1, 5};
    }
    if (c.has_schedules) {
      policy.spec.schedules = {{.name = "night"}};
    }
    policy.spec.sync_period_seconds = c.period;
    if (c.observed_generation != 0) {
      policy.status.observed_generation = c.observed_generation;
    }
    if (c.evaluated) {
      ledger_.Append(store::Evaluated{{.subject = {c.name, api::kPolicyKind, policy.key()},
                                       .time = clock_.Now() - *c.evaluated,
                                       .period = Duration::Seconds(c.period)},
                                      {},
                                      nullptr});
    }
    EXPECT_EQ(Session(ports_, options_, policy).FirstDelay(policy, next_point), c.delay) << c.name;
  }
}

// ---- What is found at the target

// Read from the scale, although the status of hours ago says otherwise.
TEST_F(SessionTest, ARefusalTellsThePresentReplicas) {
  scale_.Set(5, "");
  const auto session = NewSession();
  Finish(*session, session->Refuse(Watched(), {"", api::kInvalidSpec, "spec.behavior: no"}, {}));
  EXPECT_EQ(status().current_replicas, 5);
  EXPECT_EQ(last_decision().current_replicas, 5);
  EXPECT_EQ(last_decision().reason, api::kInvalidSpec);
  EXPECT_EQ(ReasonOf(api::kReady), api::kInvalidSpec);
}

// However often it is looked for, and although all of its past is unknown.
TEST_F(SessionTest, AMissingTargetIsOneRecord) {
  scale_.unreadable = Error{Code::kNotFound, "deployments.apps \"web\" not found"};
  const auto session = NewSession();
  EvaluateFor(*session, seconds(75));
  EXPECT_EQ(ledger_.decisions.size(), 1u);
}

// After a kill between a scale to zero and its status: was the zero the operator's?
TEST_F(SessionTest, AZeroOfItsOwnIsKnownAgain) {
  const struct {
    const char* manager;
    const char* type;
    const char* reason;
  } kCases[] = {{"ballast", api::kScaledToZero, "ScaledToZero"},
                {"kubectl", api::kScalingActive, "ScalingDisabled"}};
  autoscaler_.object.spec.min_replicas = 0;
  source_.queue.reset();
  for (const auto& c : kCases) {
    BeginCase(c.manager);
    scale_.Set(0, c.manager);
    Evaluate(*NewSession());
    EXPECT_EQ(ReasonOf(c.type), c.reason) << c.manager;
  }
}

// The first evaluation after that has no scale, or the policy was refused.
TEST_F(SessionTest, AZeroOfItsOwnIsKnownOnceThereIsAScale) {
  autoscaler_.object.spec.min_replicas = 0;
  source_.queue.reset();
  for (const bool refused : {false, true}) {
    BeginCase(refused ? "refused" : "no scale");
    scale_.Set(0, "ballast");
    const auto session = NewSession();
    if (refused) {
      Finish(*session, session->Refuse(Watched(), {api::kConflicted, "Any", "no"}, {}));
    } else {
      scale_.unreadable = Error{Code::kUnavailable, "no answer"};
      Evaluate(*session);
      scale_.unreadable.reset();
    }
    clock_.Advance(seconds(15));
    Evaluate(*session);
    EXPECT_EQ(ReasonOf(api::kScaledToZero), "ScaledToZero") << refused;
  }
}

// Nothing is decided before.
TEST_F(SessionTest, AZeroOfItsOwnIsKnownOnceItCanBeReadWhoSetIt) {
  autoscaler_.object.spec.min_replicas = 0;
  source_.queue.reset();
  scale_.Set(0, "");
  scale_.unmanaged = Error{Code::kTimeout, "no answer"};
  const auto session = NewSession();
  Evaluate(*session);
  EXPECT_THAT(ConditionOf(api::kAbleToScale)->message, HasSubstr("who set its 0 replicas"));
  EXPECT_EQ(ConditionOf(api::kScaledToZero), nullptr);
  scale_.unmanaged.reset();
  scale_.Set(0, "ballast");
  clock_.Advance(seconds(15));
  Evaluate(*session);
  EXPECT_EQ(ReasonOf(api::kScaledToZero), "ScaledToZero");
}

// The ledger says so.
TEST_F(SessionTest, AZeroOfItsOwnIsKnownAlthoughItCannotBeReadWhoSetIt) {
  autoscaler_.object.spec.min_replicas = 0;
  source_.queue = 0;
  auto session = NewSession();
  Evaluate(*session);
  EvaluateFor(*session, seconds(600));
  ASSERT_EQ(scale_.present.spec_replicas, 0);
  autoscaler_.object.status = {};
  scale_.Set(0, "");
  scale_.unmanaged = Error{Code::kTimeout, "no answer"};
  session = Restart();
  clock_.Advance(seconds(15));
  Evaluate(*session);
  EXPECT_EQ(ReasonOf(api::kScaledToZero), "ScaledToZero");
}

// Else it would stay at zero.
TEST_F(SessionTest, AZeroThatAnotherAutoscalerMayHaveSetIsTheOperatorsToo) {
  autoscaler_.object.spec.min_replicas = 0;
  scale_.Set(1, "ballast");
  const auto session = NewSession();
  Evaluate(*session);
  source_.queue = 0;
  scale_.lost = "no answer";
  scale_.sent_for_another = true;
  EvaluateFor(*session, seconds(600));
  ASSERT_EQ(scale_.present.spec_replicas, 0);
  EXPECT_EQ(ReasonOf(api::kScaledToZero), "ScaledToZero");
  source_.queue = 10;
  EvaluateFor(*session, seconds(30));
  EXPECT_EQ(scale_.present.spec_replicas, 1);
}

// The view that is evaluated next may be older than what was read of the attempt.
TEST_F(SessionTest, AZeroThatIsSeenLaterIsTheOperatorsToo) {
  autoscaler_.object.spec.min_replicas = 0;
  scale_.Set(1, "ballast");
  source_.queue = 0;
  const auto session = NewSession();
  scale_.lost = "no answer";
  scale_.sent_for_another = true;
  scale_.arrives = false;
  scale_.on_write = [this] { scale_.unreadable = Error{Code::kTimeout, "no answer"}; };
  for (int i = 0; i < 60 && scale_.writes.empty(); ++i) {
    EvaluateFor(*session, seconds(15));
  }
  scale_.on_write = [] {};
  scale_.unreadable.reset();
  scale_.Set(0, "ballast");
  scale_.unseen = scale_.present;
  scale_.Set(1, "ballast");  // as the watch still has it
  scale_.refused = "it was changed meanwhile";
  EvaluateFor(*session, seconds(15));
  ASSERT_FALSE(session->unsettled());
  scale_.Set(0, "ballast");
  EvaluateFor(*session, seconds(15));
  EXPECT_EQ(ReasonOf(api::kScaledToZero), "ScaledToZero");
}

TEST_F(SessionTest, TakesOverFromAnHpaOnceAndSaysSo) {
  autoscaler_.object.metadata.annotations["ballast.dev/takes-over"] = "HorizontalPodAutoscaler/web";
  source_.queue = 10;  // one replica would suffice
  const auto session = NewSession();
  EvaluateFor(*session, seconds(45));
  EXPECT_THAT(scale_.writes, IsEmpty()) << "nothing is scaled in for a window";
  EXPECT_NE(ConditionOf(api::kTookOver), nullptr);
  EXPECT_EQ(EventsOf(api::kTookOver).size(), 1u);
  ASSERT_EQ(ledger_.edits.size(), 1u);
  EXPECT_EQ(ledger_.edits[0].field, store::kControllerField);
  EXPECT_EQ(ledger_.edits[0].before, "HorizontalPodAutoscaler/web");
  EXPECT_EQ(ledger_.edits[0].after, "AutoScalePolicy/web");
  EXPECT_EQ(ledger_.edits[0].time, ledger_.decisions.begin()->second.time);
}

TEST_F(SessionTest, RecordsWhenThePodsOfAScaleEventAreReady) {
  source_.queue = 40;
  const auto session = NewSession();
  Evaluate(*session);
  clock_.Advance(seconds(15));
  Evaluate(*session);
  EXPECT_THAT(ledger_.pods_ready, IsEmpty());
  source_.pods.assign(4, engine::testing::MakePod("pod"));
  clock_.Advance(seconds(15));
  Evaluate(*session);
  EXPECT_THAT(ledger_.pods_ready,
              ElementsAre(::testing::Pair(ledger_.decisions.begin()->first, clock_.Now())));
}

// ---- What it says

TEST_F(SessionTest, SaysOnceThatTheHistoryIsDegradedAndNoMoreWhenItIsWell) {
  const struct {
    const char* name;
    store::LedgerHealth health;
    const char* reason;
    const char* message;
    bool passes;  // by itself
  } kCases[] = {
      {"no store",
       {.problem = Error{Code::kUnavailable, "no such folder"}},
       "Unavailable",
       "no such folder",
       true},
      {"a full disk",
       {.problem = Error{Code::kFull, "no space left on the volume"}},
       "Full",
       "no space left on the volume",
       true},
      {"a damaged database",
       {.set_aside = "ballast.db.corrupt-1"},
       "DatabaseReplaced",
       "ballast.db.corrupt-1",
       false},
  };
  source_.queue = 40;
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    BeginCase(c.name);
    ledger_.says = c.health;
    const auto session = NewSession();
    EvaluateFor(*session, seconds(45));
    EXPECT_EQ(scale_.writes.size(), 1u) << "scaling goes on";
    EXPECT_EQ(ReasonOf(api::kHistoryDegraded), c.reason);
    EXPECT_THAT(EventsOf(api::kHistoryDegraded), ElementsAre(HasSubstr(c.message)));
    ledger_.says = {};
    Evaluate(*session);
    EXPECT_EQ(ReasonOf(api::kHistoryDegraded), "");
  }
}

TEST_F(SessionTest, CountsEvaluationsAndWhatEachMetricAskedFor) {
  telemetry::Registry registry;
  options_.metrics = EvaluationMetrics(registry);
  autoscaler_.object.spec.metrics.push_back(engine::testing::CpuMetric());  // has no answer
  source_.queue = 40;
  Evaluate(*NewSession());
  const std::string text = registry.Print();
  for (
      const char* line :
      {R"(reconciliations_total{action="scale_up",error="internal"} 1)",
       R"(reconciliation_duration_seconds_count{action="scale_up",error="internal"} 1)",
       R"(metric_computation_total{action="scale_up",error="none",metric_type="External"} 1)",
       R"(metric_computation_total{action="none",error="internal",metric_type="Resource"} 1)",
       R"(metric_computation_duration_seconds_count{action="none",error="internal",metric_type="Resource"} 1)"}) {
    EXPECT_THAT(text,
                HasSubstr("\nhorizontal_pod_autoscaler_controller_" + std::string(line) + "\n"));
  }
}

TEST_F(SessionTest, CountsTheStagesOfAScaleEvent) {
  telemetry::Registry registry;
  options_.metrics = EvaluationMetrics(registry);
  source_.queue = 40;
  source_.sampled = clock_.Now();
  source_.on_gather = [this] { clock_.Advance(seconds(2)); };
  scale_.on_write = [this] { clock_.Advance(seconds(3)); };
  const auto session = NewSession();
  Evaluate(*session);
  Evaluate(*session);  // scales no more
  const std::string text = registry.Print();
  for (const char* line :
       {R"(sum{stage="sample"} 2)", R"(sum{stage="decide"} 0)", R"(sum{stage="write"} 3)",
        R"(count{stage="sample"} 1)", R"(count{stage="decide"} 1)", R"(count{stage="write"} 1)"}) {
    EXPECT_THAT(text, HasSubstr("\nballast_scale_event_seconds_" + std::string(line) + "\n"));
  }
}

// However the clock is set meanwhile.
TEST_F(SessionTest, TheAnswersOfAnEvaluationAreThereAfterAsLongAsTheyTook) {
  source_.on_gather = [this] {
    clock_.Advance(seconds(2));
    clock_.SetWall(std::chrono::hours(2));
  };
  std::optional<Time> seen;
  ledger_.before_append = [&](const store::Record& record) {
    if (const auto* evaluated = std::get_if<store::Evaluated>(&record)) {
      seen = evaluated->evaluation.seen;
    }
  };
  const Time began = clock_.Now();
  Evaluate(*NewSession());
  EXPECT_EQ(seen, began + Duration::Seconds(2));
}

// However the clock is set meanwhile.
TEST_F(SessionTest, TheStagesOfAScaleEventTakeAsLongAsTheyTook) {
  telemetry::Registry registry;
  options_.metrics = EvaluationMetrics(registry);
  source_.queue = 40;
  source_.on_gather = [this] { clock_.SetWall(std::chrono::hours(2)); };
  scale_.on_write = [this] {
    clock_.Advance(seconds(3));
    clock_.SetWall(std::chrono::hours(-1));
  };
  Evaluate(*NewSession());
  for (const char* took : {R"({stage="decide"} 0)", R"({stage="write"} 3)"}) {
    EXPECT_THAT(registry.Print(), HasSubstr(std::string("event_seconds_sum") + took + "\n"));
  }
}

TEST_F(SessionTest, SaysOnceThatOthersUndoItsWork) {
  source_.queue = 40;
  const auto session = NewSession();
  for (int i = 0; i < 5; ++i) {
    EvaluateFor(*session, seconds(15));
    scale_.Set(2, "kubectl");
  }
  EXPECT_EQ(ReasonOf(api::kConflicted), "TugOfWar");
  EXPECT_THAT(EventsOf("TugOfWar"), ElementsAre(HasSubstr("kubectl")));
  EXPECT_EQ(ledger_.foreign_changes.size(), 4u);
  scale_.Set(4, "ballast");
  clock_.SetWall(-std::chrono::hours(5));  // an hour is one by whichever clock
  EvaluateFor(*session, std::chrono::hours(1) + seconds(30));
  EXPECT_EQ(ReasonOf(api::kConflicted), "");
}

TEST_F(SessionTest, TheShadowOfAnHpaThatWasManagedSeesItsControllersStatus) {
  api::Autoscaler& hpa = autoscaler_.object;
  hpa.kind = api::kHpaKind;
  hpa.spec.mode.clear();
  std::int32_t asked = 0;
  Session session(ports_, options_, hpa, [&](const engine::Snapshot& snapshot, auto&&...) {
    asked = snapshot.autoscaler.status.desired_replicas;
  });
  hpa.metadata.annotations["ballast.dev/hpa-mode"] = "manage";
  source_.queue = 40;
  Evaluate(session);
  EXPECT_EQ(status().desired_replicas, 4);
  hpa.metadata.annotations["ballast.dev/hpa-mode"] = "shadow";
  hpa.status.desired_replicas = 7;
  EvaluateFor(session, seconds(15));
  EXPECT_EQ(asked, 7);
}

}  // namespace
}  // namespace ballast::session
