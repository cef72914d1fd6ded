#include "operator/cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/pause_annotation.h"
#include "api/decision/engine_version.h"
#include "operator/cli/testing/test_records.h"
#include "operator/engine/engine.h"
#include "operator/session/evaluation_record.h"
#include "store/reasons.h"
#include "store/sqlite/sqlite.h"

namespace ballast::cli {
namespace {

using engine::Outcome;
using testing::After;
using ::testing::AllOf;
using testing::Answer;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::Life;
using ::testing::Not;
using ::testing::StartsWith;
using testing::WebAt;

// The first sentence is for a person who never saw Ballast, and every time has a zone.
void ExpectPlainWords(const std::string& answer) {
  const std::string first = answer.substr(0, answer.find(". "));
  EXPECT_THAT(first, Not(ContainsRegex("[a-z][A-Z]"))) << "a CamelCase word";
  EXPECT_THAT(first, Not(HasSubstr("(nil)")));
  EXPECT_THAT(first, Not(HasSubstr("proposed")));
  std::string others = answer;
  for (std::size_t at = 0; (at = others.find(" UTC", at)) != std::string::npos;) {
    others.erase(at - std::string("12:00:00").size(), std::string("12:00:00 UTC").size());
  }
  EXPECT_THAT(others, Not(ContainsRegex("[0-9]:[0-9][0-9]"))) << "a time without a zone";
}

class Why : public testing::RecordsTest {
 protected:
  Answer At(const std::string& at, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"shop/web", "--at", at});
    const bool is_text = more.size() == 3;
    Answer answer = Ask(AddWhy, std::move(more));
    if (is_text) {
      ExpectPlainWords(answer.out.substr(0, answer.out.find('\n')));
    }
    return answer;
  }
  Answer At(std::int64_t seconds, std::vector<std::string> more = {}) {
    return At(Print(After(seconds)), std::move(more));
  }
  // Records the evaluation of an HPA that Kubernetes' controller scales.
  void Observe(engine::Snapshot snapshot) {
    snapshot.autoscaler.api_version = api::kHpaApiVersion;
    snapshot.autoscaler.kind = api::kHpaKind;
    const engine::Decision decision = engine::Decide(snapshot);
    const engine::Conclusion conclusion = engine::Conclude(snapshot, decision, {});
    store::EvaluationRecord evaluation =
        session::Describe(snapshot, decision, Duration::Seconds(15));
    evaluation.dry_run = true;
    ledger_->Append(store::Evaluated{evaluation, conclusion.memory, &conclusion});
  }
  // Records at After(15) that shop/web, which has 4 replicas, was not evaluated.
  void Refuse(const std::string& reason, const std::string& message) {
    ledger_->Append(store::Refused{{.subject = {"uid-web", "AutoScalePolicy", {"shop", "web"}},
                                    .time = After(15),
                                    .current_replicas = 4,
                                    .desired_replicas = 4,
                                    .reason = reason,
                                    .message = message}});
  }
};

TEST_F(Why, AScaleOut) {
  web_.Evaluate(WebAt(0, 2, "20"));
  web_.Evaluate(WebAt(15, 2, "33"));
  const Answer answer = At(20);
  EXPECT_EQ(answer.status, ExitStatus::kDone);
  EXPECT_THAT(
      answer.out,
      StartsWith("shop/web was scaled from 2 to 4 replicas: queue was at 16.5 a pod, its target "
                 "is 10 a pod.\n"));
  EXPECT_THAT(answer.out, HasSubstr("2026-03-04 12:00:15 UTC (5s before)"));
  EXPECT_THAT(answer.out, HasSubstr("Newest sample: 5s old."));
  // 11 a pod is the end of the tolerance.
  EXPECT_THAT(answer.out, HasSubstr("  2  with queue at 11 a pod or less (it was 16.5 a pod)\n"));
}

TEST_F(Why, NotInBecauseOfTheWindowUntilTheSecond) {
  web_.Evaluate(WebAt(0, 17, "170"));
  web_.Evaluate(WebAt(15, 17, "140"));
  web_.Evaluate(WebAt(30, 17, "140"));
  const Answer answer = At(40);
  // 17 were recommended at 12:00:00; the window is the default of 5 minutes.
  EXPECT_THAT(
      answer.out,
      StartsWith("shop/web stayed at 17 replicas: 14 would be enough by its metric, but it keeps "
                 "17 until fewer have been enough for 5 min, which is not before 12:05:00 UTC. So "
                 "it was decided at 12:00:15 UTC; at 12:00:30 UTC it came to the same with "
                 "External/queue at 8236m, 5s old.\n"));
  EXPECT_THAT(answer.out, HasSubstr("14  from 12:05:00 on, if the load stays as it is\n"));
  EXPECT_THAT(answer.out, HasSubstr("* stabilization"));
  EXPECT_THAT(answer.out, HasSubstr("17 at 12:00:00"));
}

TEST_F(Why, NotOutBecauseOfTheMaximum) {
  web_.Evaluate(WebAt(0, 20, "200"));
  web_.Evaluate(WebAt(15, 20, "245"));
  const Answer answer = At(16);
  EXPECT_THAT(answer.out, StartsWith("shop/web stayed at 20 replicas: its metric asks for 25, "
                                     "but its maximum is 20.\n"));
  EXPECT_THAT(answer.out, HasSubstr("  25  with maxReplicas of 25 or more\n"));
}

TEST_F(Why, NotInBecauseOfTheMinimum) {
  auto snapshot = WebAt(0, 3, "10");
  snapshot.autoscaler.spec.min_replicas = 3;
  snapshot.memory = engine::Memory{{{After(-400), 3}}, {}, {}, {}};
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out, StartsWith("shop/web stayed at 3 replicas: 1 would be enough by its "
                                    "metric, but its minimum is 3.\n"));
}

TEST_F(Why, OutOfItsBounds) {
  web_.Evaluate(WebAt(0, 25, "250"));
  EXPECT_THAT(At(1).out, StartsWith("shop/web was scaled from 25 to 20 replicas: 25 are more than "
                                    "its maximum of 20.\n"));
}

TEST_F(Why, ADirectionThatIsSwitchedOff) {
  auto snapshot = WebAt(0, 4, "80");
  snapshot.autoscaler.spec.behavior.emplace();
  snapshot.autoscaler.spec.behavior->scale_up.emplace();
  snapshot.autoscaler.spec.behavior->scale_up->select_policy = "Disabled";
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out, StartsWith("shop/web stayed at 4 replicas: its metric asks for 8, but "
                                    "scaling out is switched off for it.\n"));
}

// Another controller scaled the HPA shop/web from 2 to 4.
store::Observed ScaledByAnother(std::int64_t seconds) {
  return {.evaluation = {.subject = {"h1", api::kHpaKind, {"shop", "web"}},
                         .time = After(seconds),
                         .current_replicas = 2,
                         .desired_replicas = 4,
                         .reason = "SuccessfulRescale",
                         .message = "New size: 4; reason: more load",
                         .seen = After(seconds),
                         .decided = After(seconds)},
          .memory = {}};
}

TEST_F(Why, AnotherControllersScaleOut) {
  ledger_->Append(ScaledByAnother(0));
  EXPECT_THAT(At(10).out,
              AllOf(StartsWith("shop/web was scaled from 2 to 4 replicas by its own controller: "
                               "New size: 4; reason: more load.\n"),
                    HasSubstr("another controller decided")));
}

// Its status keeps the counts of before.
TEST_F(Why, AScaleThatAnotherControllerCannotRead) {
  store::Observed unread = ScaledByAnother(0);
  unread.evaluation.current_replicas = 4;
  unread.evaluation.reason = api::kFailedGetScale;
  unread.evaluation.message = "the HPA controller was unable to get the target's current scale";
  ledger_->Append(unread);
  EXPECT_THAT(At(10).out, StartsWith("shop/web was left as it was: its replicas could not be read: "
                                     "the HPA controller was unable to get"));
}

TEST_F(Why, AnswersForThePolicyUnlessAskedForTheHpa) {
  ledger_->Append(ScaledByAnother(0));
  web_.Evaluate(WebAt(15, 4, "40"));
  EXPECT_THAT(At(20).out, StartsWith("shop/web stayed at 4 replicas"));
  EXPECT_THAT(At(20, {"--kind", "hpa"}).out, HasSubstr("was scaled from 2 to 4"));
  EXPECT_THAT(At(10).out, StartsWith("shop/web was scaled from 2 to 4")) << "no policy yet";
}

TEST_F(Why, AShadowTellsBothCounts) {
  const struct {
    std::int32_t theirs;
    const char* says;
  } kCases[] = {{3, "Its controller asked for 3."}, {4, "Its controller asked for the same."}};
  std::int64_t seconds = 0;
  for (const auto& [theirs, says] : kCases) {
    engine::Snapshot snapshot = WebAt(seconds, 2, "33");
    snapshot.autoscaler.status.desired_replicas = theirs;
    Observe(snapshot);
    EXPECT_THAT(
        At(seconds).out,
        StartsWith("shop/web had 2 replicas; in its controller's place, Ballast would have "
                   "scaled it to 4 replicas: queue was at 16.5 a pod, its target is 10 a pod. " +
                   std::string(says)));
    seconds += 100;
  }
  engine::Snapshot unanswered = WebAt(seconds, 2, "33");
  unanswered.metrics = {engine::Failure{"forbidden"}};
  unanswered.autoscaler.status.desired_replicas = 2;
  Observe(unanswered);
  EXPECT_THAT(At(seconds).out, AllOf(HasSubstr("could not be computed"),
                                     HasSubstr("forbidden. Its controller asked for 2.\n")));
  seconds += 100;
  engine::Snapshot unread = WebAt(seconds, 2, "33");
  unread.scale = engine::Failure{"too many requests"};
  Observe(unread);
  EXPECT_THAT(At(seconds).out,
              StartsWith("shop/web: what Ballast would do in its controller's place is not known: "
                         "its replicas could not be read: too many requests.\n"));
}

TEST_F(Why, SaysSoWhenTheEngineNoLongerComesToIt) {
  web_.Evaluate(WebAt(0, 2, "33"));
  const std::string version = std::to_string(engine::kEngineVersion);
  const struct {
    std::string version;
    std::string says;
  } kCases[] = {{version, "where the same version made 5"}, {"7", "where version 7 made 5"}};
  for (const auto& c : kCases) {
    ASSERT_TRUE(ledger_->Flush().ok());
    ASSERT_TRUE(store::Database::Open(path_, store::Access::kWrite)
                    .value()
                    ->Execute("UPDATE decisions SET desired = 5, engine = " + c.version)
                    .ok());
    const Answer answer = At(1);
    EXPECT_THAT(answer.out,
                StartsWith("shop/web was scaled from 2 to 5 replicas: a metric was above its "
                           "target.\n"));
    EXPECT_THAT(answer.out, HasSubstr("the engine that is asked (version " + version +
                                      ") makes 4 replicas of the recorded inputs, " + c.says));
    EXPECT_THAT(answer.out, Not(HasSubstr("The rules")));
  }
}

TEST_F(Why, WithinTheTolerance) {
  web_.Evaluate(WebAt(0, 4, "43"));
  EXPECT_THAT(At(1).out, StartsWith("shop/web stayed at 4 replicas: its metric is close enough to "
                                    "its target: queue was at 10.75 a pod, its target is 10 a "
                                    "pod.\n"));
}

TEST_F(Why, OnlyTheTargetsOwnPods) {
  auto snapshot = WebAt(0, 4, "40");
  snapshot.autoscaler.spec.pod_selection = "Owned";
  snapshot.pods_left_out = 3;
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out,
              HasSubstr("4 that the target owns; 3 others match its selector and do not count "
                        "(podSelection Owned)\n"));
  web_.Evaluate(WebAt(15, 4, "60"));
  EXPECT_THAT(At(16).out, Not(HasSubstr("podSelection")));
}

TEST_F(Why, WhichSamplesItIsEvaluatedBehind) {
  auto snapshot = WebAt(0, 4, "40");
  snapshot.samples_every = Duration::Seconds(15);
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out,
              HasSubstr("metrics.k8s.io has new samples every 15s; evaluations come right behind "
                        "them\n"));
  web_.Evaluate(WebAt(15, 4, "60"));
  EXPECT_THAT(At(16).out, Not(HasSubstr("right behind")));
}

TEST_F(Why, JustAsMany) {
  web_.Evaluate(WebAt(0, 4, "40"));
  EXPECT_THAT(At(1).out, StartsWith("shop/web stayed at 4 replicas: its metric asks for just as "
                                    "many: queue was at 10 a pod, its target is 10 a pod.\n"));
}

// Else the first sentence would not add up.
TEST_F(Why, PodsThatDoNotCountInFull) {
  auto snapshot = WebAt(0, 2, "20");
  snapshot.autoscaler.spec.metrics = {engine::testing::CpuMetric()};
  snapshot.metrics = {engine::testing::CpuOf({"100m"}, After(-5))};
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out,
              StartsWith("shop/web stayed at 2 replicas: its metric asks for just as many: cpu was "
                         "at 100% (1 pod counted in full, 1 without a sample), its target is 50%."
                         "\n"));
  web_.Evaluate(WebAt(15, 1, "10"));
  EXPECT_THAT(At(16).out, HasSubstr("Deployment web: 1 replica wanted, 1 pod present\n"));
}

// The values are of the moment asked about, in a run that began long before.
TEST_F(Why, TheFiguresAreThoseOfTheMomentToo) {
  for (int i = 0; i < 40; ++i) {
    web_.Evaluate(WebAt(15 * i, 4, std::to_string(39 + i % 3)));
  }
  EXPECT_THAT(At(15 * 39 - 60).out,
              AllOf(StartsWith("shop/web stayed at 4 replicas: its metric asks for just as many: "
                               "queue was at 9.75 a pod, its target is 10 a pod."),
                    HasSubstr(" So it was decided at 12:00:00 UTC; at 12:08:45 UTC it came to the "
                              "same with External/queue at 10250m, 5s old.\n")));
  EXPECT_THAT(At(15 * 38 + 1).out,
              HasSubstr("; at 12:09:30 UTC it came to the same with External/queue at 10250m, 5s "
                        "old.\n"));
}

TEST_F(Why, TheRateOfScaleUp) {
  auto snapshot = [](std::int64_t seconds, std::int32_t replicas) {
    auto web = WebAt(seconds, replicas, "200");
    web.autoscaler.spec.behavior.emplace();
    web.autoscaler.spec.behavior->scale_up.emplace();
    web.autoscaler.spec.behavior->scale_up->policies = {{"Pods", 3, 60}};
    web.autoscaler.spec.behavior->scale_down.emplace();
    return web;
  };
  web_.Evaluate(snapshot(0, 4));
  web_.Evaluate(snapshot(15, 7));
  EXPECT_THAT(
      At(0).out,
      StartsWith("shop/web was scaled from 4 to 7 replicas: queue was at 50 a pod, its target is "
                 "10 a pod (its metric asks for 20, but it may not scale out faster: to 7 at most, "
                 "until 12:01:00 UTC).\n"));
  EXPECT_THAT(At(20).out,
              StartsWith("shop/web stayed at 7 replicas: its metric asks for 20, but it may not "
                         "scale out faster: to 7 at most, until 12:01:00 UTC.\n"));
}

TEST_F(Why, OneStepWithoutBehavior) {
  web_.Evaluate(WebAt(0, 4, "200"));
  EXPECT_THAT(
      At(0).out,
      StartsWith("shop/web was scaled from 4 to 8 replicas: queue was at 50 a pod, its target "
                 "is 10 a pod (its metric asks for 20, but one step leads at most to twice "
                 "as many, or to 4: that is 8).\n"));
}

TEST_F(Why, OneSampleJustifiesOneScaleUp) {
  web_.Evaluate(WebAt(0, 2, "40"));
  auto again = WebAt(15, 4, "60");
  again.metrics = {engine::testing::QueueOf("60", After(-5))};  // the same sample
  web_.Evaluate(again);
  EXPECT_THAT(
      At(16).out,
      StartsWith("shop/web stayed at 4 replicas: its metric asks for 6, but that comes from "
                 "a measurement for which it has scaled out already, so it waits for a "
                 "newer one.\n"));
}

TEST_F(Why, AMetricThatFailed) {
  auto snapshot = WebAt(0, 4, "40");
  snapshot.metrics = {engine::Failure{"the server is down"}};
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out,
              AllOf(StartsWith("shop/web stayed at 4 replicas: how many it needs could not be "
                               "computed, and then nothing is changed: queue could not be used: "),
                    HasSubstr("the server is down.\n")));
}

TEST_F(Why, AQueryWhoseValueIsNotANumber) {
  auto snapshot = WebAt(0, 4, "40");
  snapshot.metrics = {engine::Failure{"the query's value is NaN"}};
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out,
              ContainsRegex("^shop/web stayed at 4 replicas: how many it needs could not be "
                            "computed, and then nothing is changed: queue could not be used: .*its "
                            "result is not a number, as when zero is divided by zero\\.\n"));
}

// A source's clock may be ahead.
TEST_F(Why, ASampleOfTheFutureIsNotOldYet) {
  auto first = WebAt(0, 4, "40");
  first.metrics = {engine::testing::QueueOf("40", After(3))};
  web_.Evaluate(first);
  auto again = WebAt(15, 4, "41");
  again.metrics = {engine::testing::QueueOf("41", After(16))};
  web_.Evaluate(again);
  EXPECT_THAT(At(16).out,
              HasSubstr("it came to the same with External/queue at 10250m, 1s ahead."));
  EXPECT_THAT(At(1).out, HasSubstr("Newest sample: 3s ahead."));
}

// The names of settings are not for who reads it aloud.
TEST_F(Why, AMetricThatIsTooOld) {
  auto snapshot = WebAt(0, 4, "40");
  snapshot.metrics = {engine::testing::QueueOf("40", After(-400))};
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out, HasSubstr("the newest sample is 6m40s old, more than the 5m0s that the "
                                   "installation allows.\n"));
}

TEST_F(Why, AMetricThatIsTooOldForItsAutoscaler) {
  auto snapshot = WebAt(0, 4, "40");
  snapshot.metrics = {engine::testing::QueueOf("40", After(-400))};
  snapshot.autoscaler.spec.metrics[0].max_sample_age_seconds = 60;
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out, HasSubstr("more than the 1m0s that its autoscaler allows.\n"));
}

TEST_F(Why, AScaleThatCannotBeRead) {
  auto snapshot = WebAt(0, 4, "40");
  snapshot.scale = engine::Failure{"deployments.apps \"web\" not found"};
  web_.Evaluate(snapshot);
  constexpr const char* kSays =
      "shop/web was left as it was: its replicas could not be read: deployments.apps \"web\" not "
      "found.\n";
  EXPECT_THAT(At(1).out, StartsWith(kSays));
  snapshot.now = After(100);
  snapshot.autoscaler.spec.mode = "DryRun";
  snapshot.autoscaler.status.current_replicas = 4;
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(101).out, StartsWith(kSays)) << "a dry run would not scale it to 0";
}

TEST_F(Why, AWriteThatFailed) {
  web_.Evaluate(WebAt(0, 2, "33"), {Outcome::Kind::kFailed, "forbidden by quota"});
  EXPECT_THAT(At(1).out,
              StartsWith("shop/web stayed at 2 replicas: it was to be scaled to 4, but that "
                         "could not be written: forbidden by quota.\n"));
}

TEST_F(Why, AWriteWithoutAnswer) {
  web_.Evaluate(WebAt(0, 2, "33"), {Outcome::Kind::kUnknown, "timed out"});
  EXPECT_THAT(At(1).out,
              StartsWith("shop/web was to be scaled from 2 to 4 replicas, and whether that "
                         "was written is not known: timed out.\n"));
}

TEST_F(Why, DryRunAndDisabled) {
  auto dry = WebAt(0, 2, "33");
  dry.autoscaler.spec.mode = "DryRun";
  web_.Evaluate(dry);
  auto disabled = WebAt(15, 2, "33");
  disabled.autoscaler.spec.mode = "Disabled";
  disabled.metrics.clear();
  web_.Evaluate(disabled);
  EXPECT_THAT(
      At(1).out,
      StartsWith("shop/web stayed at 2 replicas: its autoscaler only tells what it would do (a "
                 "dry run), which was to scale it to 4: queue was at 16.5 a pod, its target "
                 "is 10 a pod.\n"));
  EXPECT_THAT(At(16).out,
              StartsWith("shop/web stayed at 2 replicas: its autoscaler is switched off, "
                         "so nothing is evaluated.\n"));
}

TEST_F(Why, APause) {
  auto snapshot = WebAt(0, 8, "20");
  snapshot.memory = engine::Memory{{{After(-400), 8}}, {}, {}, {}};
  snapshot.autoscaler.metadata.annotations = {{api::kPausedUntil, "2026-03-04T13:00:00Z"},
                                              {api::kPausedDirection, "In"},
                                              {api::kPausedBy, "alice"},
                                              {api::kPausedReason, "black friday"}};
  web_.Evaluate(snapshot);
  EXPECT_THAT(At(1).out,
              AllOf(StartsWith("shop/web stayed at 8 replicas: it would be scaled to 2, but alice "
                               "paused scaling in until 13:00:00 UTC: black friday.\n"),
                    HasSubstr("* pause "), HasSubstr("  2  from 13:05:00 on, if the load stays")));
}

TEST_F(Why, ASchedule) {
  const auto window = [](std::optional<std::int32_t> min, std::optional<std::int32_t> max) {
    return engine::ScheduleWindow{.name = "day",
                                  .time_zone = "Europe/Berlin",
                                  .start = After(-3600),
                                  .end = After(6 * 3600),
                                  .min_replicas = min,
                                  .max_replicas = max};
  };
  engine::ScheduleWindow hold = window({}, {});
  hold.hold = "All";
  engine::ScheduleWindow over = window(6, {});
  over.end = After(-60);
  engine::ScheduleWindow rising = window(12, {});
  rising.start = After(180);
  rising.ramp_minutes = 4;
  const struct {
    std::int32_t replicas;
    const char* queue;
    engine::ScheduleWindow window;
    const char* answer;
    const char* without;
  } kCases[] = {
      {8, "80", window(12, {}),
       "was scaled from 8 to 12 replicas: 8 are fewer than its minimum of 12, since the schedule "
       "day (Europe/Berlin) sets its minimum to 12 until 18:00:00 UTC.",
       "  8  without the schedule day"},
      {8, "20", window(6, {}),
       "was scaled from 8 to 6 replicas: queue was at 2.5 a pod, its target is 10 a pod (2 would "
       "be "
       "enough by its metric, but the schedule day (Europe/Berlin) sets its minimum to 6 until "
       "18:00:00 UTC).",
       "  2  without the schedule day"},
      {8, "20", over,
       "was scaled from 8 to 6 replicas: queue was at 2.5 a pod, its target is 10 a pod (2 would "
       "be enough by its metric, but it keeps 6, since the schedule day (Europe/Berlin) ended "
       "within the last 5 min, until 12:04:00 UTC).",
       "  2  from 12:04:00 on"},
      {8, "200", window({}, 8),
       "stayed at 8 replicas: its metric asks for 20, but the schedule day (Europe/Berlin) sets "
       "its "
       "maximum to 8 until 18:00:00 UTC.",
       "  16  without the schedule day"},
      {8, "80", window({}, 0),
       "was scaled from 8 to 0 replicas: 8 are more than its maximum of 0, since the schedule day "
       "(Europe/Berlin) sets its maximum to 0 until 18:00:00 UTC.",
       "  8  without the schedule day"},
      {8, "80", rising,
       "was scaled from 8 to 11 replicas: 8 are fewer than its minimum of 11, since the schedule "
       "day (Europe/Berlin) sets its minimum to 11, on the way to 12 by 12:03:00 UTC.",
       "  8  without the schedule day"},
      {8, "20", hold,
       "stayed at 8 replicas: it would be scaled to 2, but schedule \"day\" paused scaling until "
       "18:00:00 UTC.",
       "  2  without the schedule day"},
  };
  int at = 0;
  for (const auto& c : kCases) {
    auto snapshot = WebAt(at, c.replicas, c.queue);
    snapshot.memory = engine::Memory{{{After(-400), 8}}, {}, {}, {}};
    snapshot.schedules.emplace().windows = {c.window};
    web_.Evaluate(snapshot);
    const std::string answer = At(at + 1).out;
    EXPECT_THAT(answer, StartsWith(std::string("shop/web ") + c.answer + "\n"));
    EXPECT_THAT(answer, HasSubstr(c.without)) << c.answer;
    at += 15;
  }
}

TEST_F(Why, AWindowAndASuspectSource) {
  auto snapshot = WebAt(0, 8, "0");
  snapshot.memory = engine::Memory{{{After(-10), 8}}, {}, {}, {}};
  snapshot.suspect_source = engine::SuspectSource{"external.metrics.k8s.io", After(-60)};
  web_.Evaluate(snapshot);
  EXPECT_THAT(
      At(1).out,
      StartsWith(
          "shop/web stayed at 8 replicas: 0 would be enough by its metric, but it keeps 8 "
          "until fewer have been enough for 5 min, and external.metrics.k8s.io turned to "
          "zero, or lost most of its pods, for several policies at once, and may be broken, "
          "so that nothing is scaled in because of it until 12:14:00 UTC, unless it recovers "
          "or somebody trusts it.\n"));
}

TEST_F(Why, ASuspectSource) {
  auto snapshot = WebAt(0, 8, "0");
  snapshot.memory = engine::Memory{{{After(-400), 8}}, {}, {}, {}};
  snapshot.suspect_source = engine::SuspectSource{"external.metrics.k8s.io", After(-60)};
  web_.Evaluate(snapshot);
  EXPECT_THAT(
      At(1).out,
      AllOf(StartsWith("shop/web stayed at 8 replicas: it would be scaled to 1, but "
                       "external.metrics.k8s.io turned to zero, or lost most of its pods, for "
                       "several policies at once, and may be broken, so that nothing is scaled in "
                       "because of it until 12:14:00 UTC, unless it recovers or somebody trusts "
                       "it.\n"),
            HasSubstr("* hold "), HasSubstr("  1  from 12:14:00 on, if the load stays")));
}

// Neither would have been enough alone.
TEST_F(Why, AWindowWithinAPause) {
  auto snapshot = WebAt(0, 8, "20");
  snapshot.memory = engine::Memory{{{After(-10), 8}}, {}, {}, {}};
  snapshot.autoscaler.metadata.annotations = {{api::kPausedUntil, "2026-03-04T13:00:00Z"}};
  web_.Evaluate(snapshot);
  EXPECT_THAT(
      At(1).out,
      AllOf(
          StartsWith("shop/web stayed at 8 replicas: 2 would be enough by its metric, but it keeps "
                     "8 until fewer have been enough for 5 min, and scaling is paused until "
                     "13:00:00 UTC.\n"),
          HasSubstr("* stabilization"), HasSubstr("  2  from 13:05:00 on, if the load stays")));
}

TEST_F(Why, ReasonsThatTakeTurnsAreEachExplained) {
  for (int i = 0; i < 30; ++i) {
    web_.Evaluate(WebAt(15 * i, 17, i % 2 == 0 ? "170" : "140"));
  }
  // The run that spans all reasons began at 12:02:30, with 17.
  EXPECT_THAT(At(15 * 24).out,
              StartsWith("shop/web stayed at 17 replicas: its metric asks for just as many: "));
  const Answer answer = At(15 * 25);
  EXPECT_THAT(answer.out,
              AllOf(StartsWith("shop/web stayed at 17 replicas: 14 would be enough by its metric, "
                               "but it keeps 17 until fewer have been enough for 5 min, which is "
                               "not before 12:07:30 UTC. Reasons took turns; this is about "
                               "12:02:45 UTC, the first evaluation for the reason of that moment. "
                               "At 12:06:15 UTC it came to the same with External/queue at 8236m, "
                               "5s old.\n"),
                    HasSubstr("* stabilization"),
                    HasSubstr("  then      12:06:15: ScaleDownStabilized: External/queue at ")));
  EXPECT_THAT(Ask(AddReplay, {}).out, StartsWith("12 of 12 decisions were kept with their inputs"));
  EXPECT_THAT(
      Ask(AddExport, {"-o", "ndjson"}).out,
      HasSubstr(R"("reasons":[{"time":"2026-03-04T12:02:45Z","reason":"ScaleDownStabilized")"));
}

// Both runs have evaluations between the same times.
TEST_F(Why, ARunBeforeTheClockWasSetBackExplainsNothingOfTheNext) {
  for (int seconds : {0, 15, 30, 45, 60}) {
    web_.Evaluate(WebAt(seconds, 5, "50"));
  }
  web_.Evaluate(WebAt(20, 8, "80"));
  web_.Evaluate(WebAt(35, 8, "81"));
  web_.Evaluate(WebAt(65, 8, "80"));
  EXPECT_THAT(At(46).out,
              AllOf(StartsWith("shop/web stayed at 8 replicas: its metric asks for just as many: "),
                    Not(HasSubstr("12:00:45"))));
}

TEST_F(Why, WhatIsNotRecorded) {
  web_.Evaluate(WebAt(0, 4, "40"));
  web_.Evaluate(WebAt(600, 4, "60"));
  Life other(*ledger_);
  auto api = WebAt(300, 1, "10");
  api.autoscaler.metadata.name = "api";
  api.autoscaler.metadata.uid = "uid-api";
  other.Evaluate(api);

  const Answer early = At(-60);
  EXPECT_EQ(early.status, ExitStatus::kFoundWrong);
  EXPECT_EQ(early.out.substr(0, early.out.find('\n')),
            "Nothing is recorded of shop/web before 2026-03-04 12:00:00 UTC.");

  const Answer gap = At(120);
  EXPECT_EQ(gap.status, ExitStatus::kFoundWrong);
  EXPECT_THAT(gap.out, StartsWith("Nothing is recorded of shop/web between 2026-03-04 12:00:00 UTC "
                                  "and 12:10:00 UTC: it was evaluated late: the operator was "
                                  "suspended, or busy with other policies. "));
  EXPECT_THAT(gap.out, HasSubstr("The last decision before: shop/web stayed at 4 replicas"));
  EXPECT_THAT(gap.out, HasSubstr("What was decided next\n  12:10:00  4 -> 6  written"));

  // All records lie in the past, whenever the test runs.
  const Answer now = At("now");
  EXPECT_EQ(now.status, ExitStatus::kFoundWrong);
  EXPECT_THAT(
      now.out,
      StartsWith("Nothing is recorded of shop/web since 2026-03-04 12:10:00 UTC: "
                 "no operator was running with this store, or it cannot write to it, or still "
                 "waits for answers. The last decision before: shop/web was scaled from 4 to 6 "
                 "replicas"));
  EXPECT_THAT(
      At("2999-01-01T00:00:00Z").out,
      StartsWith("2999-01-01 00:00:00 UTC is in the future; as of now: Nothing is recorded"));
}

TEST_F(Why, WhatWasDeletedIsNotSaidNotToHaveBeen) {
  web_.Evaluate(WebAt(0, 4, "40"));
  web_.Evaluate(WebAt(600, 4, "60"));
  ASSERT_TRUE(ledger_->Flush().ok());
  ASSERT_TRUE(store::Database::Open(path_, store::Access::kWrite)
                  .value()
                  ->Run("UPDATE namespaces SET since = ?", After(600))
                  .ok());
  const Answer early = At(-60);
  EXPECT_EQ(early.out.substr(0, early.out.find('\n')),
            "Nothing is recorded of shop/web before 2026-03-04 12:00:00 UTC. What was evaluated in "
            "its namespace before 2026-03-04 12:10:00 UTC was deleted (the operator's "
            "--store-max-age and --store-max-size).");
  EXPECT_THAT(At(-60, {"-o", "json"}).out, HasSubstr(R"("deletedUntil":"2026-03-04T12:10:00Z")"));
  EXPECT_THAT(At(120).out, HasSubstr("what was evaluated then was deleted"));
  EXPECT_THAT(At(601).out, Not(HasSubstr("deleted")));
}

TEST_F(Why, ARefusal) {
  web_.Evaluate(WebAt(0, 4, "40"));
  Refuse("Conflicted", "HorizontalPodAutoscaler shop/old scales Deployment web too");
  EXPECT_EQ(At(20).out,
            "shop/web stayed at 4 replicas: another autoscaler has the same target, so this one "
            "does nothing. The record says: HorizontalPodAutoscaler shop/old scales Deployment "
            "web too.\n\n"
            "The decision\n"
            "  when      2026-03-04 12:00:15 UTC (5s before)\n"
            "  replicas  4\n"
            "  reason    Conflicted: HorizontalPodAutoscaler shop/old scales Deployment web too\n"
            "  record    AutoScalePolicy shop/web, decision 2\n\n"
            "More cannot be told: nothing was evaluated, so there is nothing that it was decided "
            "from.\n");
}

// Of what is not known it says nothing.
TEST_F(Why, AnEvaluationThatWasPassedOver) {
  web_.Evaluate(WebAt(0, 4, "40"));
  Refuse(store::kOutOfDate, "the API server has told nothing of pods for long");
  EXPECT_THAT(
      At(20).out,
      AllOf(StartsWith("Nothing was decided about shop/web: what was known of it might be "
                       "out of date, since the API server has told nothing of pods for long.\n"),
            HasSubstr("nothing was evaluated, so there is nothing that it was decided")));
}

// Nothing else says so: reasons change, and an evaluation may have the same.
TEST_F(Why, ARefusalIsOneWhateverItsReasonIs) {
  web_.Evaluate(WebAt(0, 4, "40"));
  Refuse("Unheard", "it is not to be");
  EXPECT_THAT(At(20).out, AllOf(HasSubstr("The record says: it is not to be."),
                                HasSubstr("More cannot be told: nothing was evaluated")));
  EXPECT_THAT(Ask(AddHistory, {"shop/web", "-o", "json"}).out,
              AllOf(HasSubstr(R"("madeBy":"evaluated")"), HasSubstr(R"("madeBy":"refused")")));
}

TEST_F(Why, TellsWhoElseSetTheReplicasAndWhatEachEvaluationSaw) {
  web_.Evaluate(WebAt(0, 4, "40"));
  ledger_->Append(store::ForeignChangeSeen{{"uid-web", "AutoScalePolicy", {"shop", "web"}},
                                           {After(15), 4, 9, "kubectl", After(11)}});
  web_.Evaluate(WebAt(15, 9, "90"));
  web_.Evaluate(WebAt(30, 9, "93"));
  const Answer answer = At(31);
  EXPECT_THAT(answer.out, HasSubstr("  before it  4 -> 9: kubectl set the replicas at 12:00:11, "
                                    "noticed 12:00:15\n"));
  EXPECT_THAT(answer.out, HasSubstr("  then       12:00:30: External/queue"));
  EXPECT_THAT(answer.out, HasSubstr(" at 10334m, 5s old\n"));
  EXPECT_THAT(Ask(AddHistory, {"shop/web"}).out,
              HasSubstr("2026-03-04 12:00:15  4 -> 9    by others              kubectl set the "
                        "replicas at 12:00:11\n"));
}

// Of the policy shop/web, noticed so many seconds after noon.
store::EditSeen EditOf(std::int64_t seconds, const char* field, const char* before,
                       const char* after, std::optional<Time> managed = {}) {
  return {{"uid-web", "AutoScalePolicy", {"shop", "web"}},
          {After(seconds), field, before, after, managed ? "kubectl" : "", managed}};
}

TEST_F(Why, TellsWhatWasEditedBeforeTheDecision) {
  web_.Evaluate(WebAt(0, 20, "245"));
  ledger_->Append(EditOf(12, "spec.maxReplicas", "20", "30", After(11)));
  ledger_->Append(EditOf(12, "spec.minReplicas", "", "2"));
  ledger_->Append(EditOf(12, "spec.syncPeriodSeconds", "30", ""));
  ledger_->Append(EditOf(12, "4 more fields", "", ""));
  auto edited = WebAt(12, 20, "245");
  edited.autoscaler.spec.max_replicas = 30;
  edited.autoscaler.metadata.generation = 8;
  web_.Evaluate(edited);

  const Answer answer = At(13);
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr(". Before it, spec.maxReplicas was changed from 20 to 30 (kubectl, "
                              "12:00:11 UTC); spec.minReplicas was set to 2 (12:00:12 UTC); "
                              "spec.syncPeriodSeconds was removed (it was 30) (12:00:12 UTC); and "
                              "more.\n"),
                    HasSubstr("  edited    spec.maxReplicas 20 -> 30 by kubectl at 12:00:11\n"),
                    HasSubstr("  edited    4 more fields\n")));
  EXPECT_THAT(At(1).out, Not(HasSubstr("edited")));
  const Answer json = At(13, {"-o", "json"});
  EXPECT_THAT(json.out, HasSubstr(R"("edits":[{"kind":"AutoScalePolicy","namespace":"shop",)"
                                  R"("name":"web","uid":"uid-web","time":"2026-03-04T12:00:12Z",)"
                                  R"("field":"spec.maxReplicas","before":"20","after":"30",)"
                                  R"("manager":"kubectl","managed":"2026-03-04T12:00:11Z",)"
                                  R"("decision":2},)"));
  EXPECT_THAT(At(1, {"-o", "json"}).out, Not(HasSubstr(R"("edits")")));
  EXPECT_THAT(Ask(AddHistory, {"shop/web"}).out,
              HasSubstr("2026-03-04 12:00:12            edited           spec.maxReplicas 20 -> "
                        "30 by kubectl at 12:00:11\n"));
}

TEST_F(Why, TellsOfAnEditThatNobodySaw) {
  ledger_->Append(EditOf(0, store::kWholeSpec, "", "", After(-100)));
  web_.Evaluate(WebAt(0, 4, "40"));
  EXPECT_THAT(At(1).out, HasSubstr(". Before it, spec was edited while this operator did not watch "
                                   "it (kubectl, 11:58:20 UTC).\n"));
}

TEST_F(Why, AGapInWhichAnotherReplicaLed) {
  web_.Evaluate(WebAt(0, 4, "40"));
  ledger_->Append(store::TermSeen{"ballast-0", true, After(-10)});
  ledger_->Append(store::TermSeen{"ballast-1", false, After(20)});
  ledger_->Append(store::TermSeen{"ballast-0", true, After(280)});
  web_.Evaluate(WebAt(300, 4, "40"));
  EXPECT_THAT(At(120).out,
              HasSubstr("and 12:05:00 UTC: another replica led: ballast-1; its own store "
                        "has the decisions."));
}

TEST_F(Why, AScaleEventsWayThroughTime) {
  auto snapshot = WebAt(0, 2, "33");
  web_.Evaluate(snapshot);
  ledger_->Append(store::PodsReady{"uid-web", After(12)});
  EXPECT_THAT(At(1).out, HasSubstr("  its way   sampled 5s before, began 12:00:00, answers +0.1s, "
                                   "decided +0.1s, written +0.2s, pods ready +12s\n"));
}

TEST_F(Why, AJsonAnswerHasAllOfIt) {
  web_.Evaluate(WebAt(0, 17, "170"));
  web_.Evaluate(WebAt(15, 17, "140"));
  const Answer answer = At(20, {"-o", "json"});
  const auto document = json::Parse(answer.out);
  ASSERT_TRUE(document.ok());
  json::Decoder decoder(*document);
  const json::Cursor root = decoder.root();
  EXPECT_EQ(root.Member("answer").Text(),
            "shop/web stayed at 17 replicas: 14 would be enough by its metric, but it keeps 17 "
            "until fewer have been enough for 5 min, which is not before 12:05:00 UTC.");
  EXPECT_EQ(root.Member("recorded").Print(), "true");
  EXPECT_EQ(root.Member("decided").Member("time").Text(), "2026-03-04T12:00:15Z");
  const json::Cursor inputs = root.Member("inputs");
  EXPECT_EQ(inputs.Member("binding").Text(), "stabilization");
  EXPECT_EQ(inputs.Member("release").Print(),
            R"({"at":"2026-03-04T12:05:00.000000001Z","replicas":14})");
  EXPECT_EQ(inputs.Member("metrics").Elements().size(), 1U);
  EXPECT_TRUE(decoder.status().ok());
}

TEST_F(Why, WorksOnACopyAndWithoutInputs) {
  web_.Evaluate(WebAt(0, 4, "40"));
  ledger_.reset();
  const std::string copy = folder_.Path("copy");
  std::filesystem::copy_file(path_, copy);
  const Answer answer =
      testing::Run(AddWhy, {"shop/web", "--store", copy, "--at", "2026-03-04T12:00:01Z"});
  EXPECT_THAT(answer.out, StartsWith("shop/web stayed at 4 replicas"));
  EXPECT_THAT(testing::Run(AddWhy, {"shop/wbe", "--store", copy}).error,
              HasSubstr("did you mean shop/web?"));
}

}  // namespace
}  // namespace ballast::cli
