// Tests each deliberate difference between an AutoScalePolicy and upstream's controller, and that
// HorizontalPodAutoscalers keep upstream's behaviour.
#include "operator/engine/effective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::Evaluate;
using ::testing::Field;
using testing::FindCondition;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kNow;
using testing::MakeHpa;
using testing::MakePolicy;
using testing::Parse;

// The snapshot after the autoscaler has scaled the target to zero, with a queue of 7.
Snapshot AtZero(Snapshot snapshot) {
  snapshot.autoscaler.spec.min_replicas = 0;
  snapshot.autoscaler.status.conditions = {{"ScaledToZero", "True", "ScaledToZero", "", {}}};
  snapshot.metrics = {testing::QueueOf("7")};
  return snapshot;
}

TEST(PolicyAtZero, ShowsTheWholeUsageInsteadOfGarbage) {  // k/k 140956
  EXPECT_EQ(Evaluate(AtZero(MakePolicy(0))).status.current_metrics[0].current.average_value,
            Parse("7"));
  EXPECT_EQ(Evaluate(AtZero(MakeHpa(0))).status.current_metrics[0].current.average_value,
            Quantity::FromMilli(std::numeric_limits<std::int64_t>::min()));
}

TEST(PolicyAtZero, HeldSaysThatSomethingElseScaledToZero) {
  Snapshot snapshot = AtZero(MakePolicy(0));
  EXPECT_NE(FindCondition(Evaluate(snapshot).status, "Held")->reason, "TargetAtZero");
  snapshot.autoscaler.status.conditions.clear();  // it was not the policy
  const Conclusion conclusion = Evaluate(snapshot);
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->status, "True");
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->reason, "TargetAtZero");
}

// Four replicas, none ready, and a Value metric at `value` with a target of 10.
Snapshot NoneReady(Snapshot snapshot, const std::string& value) {
  snapshot.autoscaler.spec.metrics = {testing::QueueValueMetric()};
  snapshot.metrics = {testing::QueueOf(value)};
  PodList pods;
  for (int i = 0; i < 4; ++i) {
    auto pod = testing::MakePod("pod-" + std::to_string(i));
    pod->ready->status = "False";
    pods.push_back(pod);
  }
  snapshot.pods = pods;
  return snapshot;
}

TEST(PolicyWithoutReadyPods, HoldsOrRaises) {  // k/k 130130
  const struct {
    const char* value;
    std::int32_t policy;
    std::int32_t hpa;  // outside of the tolerance the minimum, without stabilization
  } kCases[] = {{"1", 4, 1}, {"10", 4, 4}, {"15", 6, 1}, {"9223372036854775807m", 8, 1}};
  for (const auto& c : kCases) {
    Snapshot policy = NoneReady(MakePolicy(4), c.value);
    EXPECT_EQ(Evaluate(policy).status.desired_replicas, c.policy) << c.value;
    Snapshot hpa = NoneReady(MakeHpa(4), c.value);
    hpa.memory = Memory{{{Ago(301), 4}}, {}, {}, {}};
    EXPECT_EQ(Evaluate(hpa).status.desired_replicas, c.hpa) << c.value;
  }
}

TEST(PolicyWithEndedPods, CountsThemNot) {  // k/k 141302
  const auto with_ended = [](Snapshot snapshot) {
    snapshot.autoscaler.spec.metrics = {testing::CpuMetric()};
    snapshot.metrics = {testing::CpuOf({"100m", "100m"})};
    for (int i = 0; i < 3; ++i) {
      auto ended = testing::MakePod("ended-" + std::to_string(i));
      ended->phase = i < 2 ? "Succeeded" : "Failed";
      std::get<PodList>(snapshot.pods).push_back(ended);
    }
    return snapshot;
  };
  EXPECT_EQ(Evaluate(with_ended(MakePolicy(2))).status.desired_replicas, 4);
  EXPECT_EQ(Evaluate(with_ended(MakeHpa(2))).status.desired_replicas, 2);
  Snapshot requests_nothing = with_ended(MakePolicy(2));
  auto ended = std::make_shared<api::Pod>(*std::get<PodList>(requests_nothing.pods)[2]);
  ended->containers = {{"app", {}, false}};
  std::get<PodList>(requests_nothing.pods)[2] = ended;
  EXPECT_EQ(Evaluate(requests_nothing).status.desired_replicas, 4);
}

TEST(PolicyWithinTolerance, KeepsTheCountOfTheSpec) {  // k/k 141134
  for (const std::int32_t present : {12, 6}) {
    const auto with_present = [&](Snapshot snapshot) {
      std::get<api::Scale>(snapshot.scale).status_replicas = present;
      snapshot.metrics = {testing::QueueOf(std::to_string(10 * present + 1))};
      snapshot.memory->recommendations = {{Ago(301), 10}};
      return Evaluate(snapshot).status.desired_replicas;
    };
    EXPECT_EQ(with_present(MakePolicy(10)), 10);
    EXPECT_EQ(with_present(MakeHpa(10)), present);
  }
}

TEST(PolicySelector, SaysThatItMatchesMorePodsThanTheTargetHas) {
  Snapshot snapshot = MakePolicy(3);
  const auto is_told = [&] {
    return FindCondition(Evaluate(snapshot).status, api::kSelectorMatchesExtraPods) != nullptr;
  };
  EXPECT_FALSE(is_told());
  auto& pods = std::get<PodList>(snapshot.pods);
  auto leaving = testing::MakePod("leaving");
  leaving->metadata.deletion_timestamp = kNow;
  pods.push_back(leaving);
  EXPECT_FALSE(is_told());
  pods.push_back(testing::MakePod("of-another"));
  Conclusion conclusion = Evaluate(snapshot);
  const auto* const told = FindCondition(conclusion.status, api::kSelectorMatchesExtraPods);
  ASSERT_NE(told, nullptr);
  EXPECT_THAT(told->message, HasSubstr("4 pods match the selector app=web, and the target has 3"));
  EXPECT_THAT(conclusion.trace, ::testing::Contains(Field(&Step::rule, Rule::kSelector)));
  snapshot.autoscaler.kind = api::kHpaKind;
  conclusion = Evaluate(snapshot);
  EXPECT_EQ(FindCondition(conclusion.status, api::kSelectorMatchesExtraPods), nullptr);
  EXPECT_THAT(conclusion.trace, ::testing::Contains(Field(&Step::rule, Rule::kSelector)));
}

// Scales of custom resources may have none.
TEST(PolicySelector, IsNotNeededWhereNoMetricNeedsPods) {
  const auto without_selector = [](Snapshot snapshot, const api::MetricSpec& metric) {
    std::get<api::Scale>(snapshot.scale).selector = "";
    snapshot.pods = PodList{};
    snapshot.autoscaler.spec.metrics = {metric};
    snapshot.metrics = {testing::QueueOf("70")};
    return Evaluate(snapshot).status.desired_replicas;
  };
  EXPECT_EQ(without_selector(MakePolicy(4), testing::QueueMetric()), 7);
  EXPECT_EQ(without_selector(MakePolicy(4), testing::QueueValueMetric()), 0);
  EXPECT_EQ(without_selector(MakePolicy(4), testing::CpuMetric()), 0);
  EXPECT_EQ(without_selector(MakeHpa(4), testing::QueueMetric()), 0);
}

// The messages of an HPA are those of its cluster's version; a policy has the mended ones.
TEST(HpaVersion, DecidesTheMessages) {
  const auto said = [](Snapshot snapshot, int minor) {
    api::MetricSpec metric;
    metric.type = "Object";
    metric.object.emplace();
    metric.object->metric.name = "depth";
    metric.object->described_object = {"v1", "Service", "queue"};
    metric.object->target = {"Value", testing::Parse("10"), {}, {}};
    snapshot.autoscaler.spec.metrics = {metric};
    snapshot.metrics = {Failure{"gone"}};
    snapshot.settings.kubernetes_minor = minor;
    return FindCondition(Evaluate(snapshot).status, "ScalingActive")->message;
  };
  const std::string kMended =
      "unable to get metric depth on Service shop/queue: unable to fetch metrics from custom "
      "metrics API: gone";
  EXPECT_THAT(said(MakeHpa(4), 36), HasSubstr("depth: Service on shop queue/unable to fetch"));
  EXPECT_THAT(said(MakeHpa(4), 37), HasSubstr(kMended));
  EXPECT_THAT(said(MakePolicy(4), 36), HasSubstr(kMended));
}

TEST(HpaVersion, DecidesWhetherTheGenerationIsObserved) {
  Snapshot snapshot = MakeHpa(4);
  EXPECT_EQ(Evaluate(snapshot).status.observed_generation, std::nullopt);
  snapshot.settings.kubernetes_minor = 37;
  EXPECT_EQ(Evaluate(snapshot).status.observed_generation, 7);
}

TEST(PolicyReason, IsNeverBlank) {
  // The metric is at its target, but 6 were recommended two minutes ago: without behavior, the
  // count goes up.
  const auto raise = [](Snapshot snapshot) {
    snapshot.memory = Memory{{{Ago(120), 6}}, {}, {}, {}};
    return Evaluate(snapshot).events;
  };
  EXPECT_THAT(raise(MakePolicy(4)),
              ElementsAre(Field(&Event::message,
                                "New size: 6; reason: Recent recommendations were higher "
                                "(scale-down stabilization)")));
  EXPECT_THAT(raise(MakeHpa(4)), ElementsAre(Field(&Event::message, "New size: 6; reason: ")));
}

TEST(PolicyReason, NamesTheMetricThatMovedTheCount) {
  Snapshot snapshot = MakePolicy(4);
  snapshot.metrics = {testing::QueueOf("70")};
  EXPECT_THAT(Evaluate(snapshot).events,
              ElementsAre(Field(&Event::message,
                                "New size: 7; reason: external metric queue(nil) above target")));
}

TEST(PolicyTime, AnInterruptionOrAJumpSeedsMemory) {
  const Recommendation kOld{Ago(400), 2};
  const struct {
    const char* name;
    std::optional<Time> last;
    bool jumped;
    bool interrupted;
    bool seeded;
  } kCases[] = {
      {"no evaluation known", std::nullopt, false, false, false},
      {"on time", Ago(15), false, false, false},
      {"late", Ago(31), false, false, false},
      {"very late", Ago(3600), false, false, false},
      {"interrupted", Ago(31), false, true, true},
      {"clock jumped", Ago(15), true, false, true},
      {"last evaluation in the future", Ago(-1), false, false, true},
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = MakePolicy(8);
    snapshot.metrics = {testing::QueueOf("20")};
    snapshot.memory = Memory{{kOld}, {}, {}, {}};
    snapshot.last_evaluation = c.last;
    snapshot.clock_jumped = c.jumped;
    snapshot.interrupted = c.interrupted;
    const Conclusion conclusion = Evaluate(snapshot);
    EXPECT_EQ(conclusion.status.desired_replicas, c.seeded ? 8 : 2) << c.name;
    snapshot.autoscaler.kind = api::kHpaKind;
    EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 2) << c.name << ", as an HPA";
  }
}

TEST(PolicyTime, EntriesInTheFutureCountAsNow) {
  Snapshot snapshot = MakePolicy(4);
  const Time later = Ago(-3600);
  snapshot.memory = Memory{{{later, 4}}, {{later, 1}}, {{later, 2}}, {}};
  const Memory memory = Decide(snapshot).memory;
  EXPECT_EQ(memory.recommendations[0].time, kNow);
  EXPECT_EQ(memory.scale_ups[0].time, kNow);
  EXPECT_EQ(memory.scale_downs[0].time, kNow);
}

TEST(PolicySamples, OneSampleJustifiesOneScaleUp) {
  Snapshot first = MakePolicy(4);
  first.metrics = {testing::QueueOf("60", Ago(10))};
  const Conclusion scaled = Evaluate(first);
  EXPECT_EQ(scaled.status.desired_replicas, 6);
  EXPECT_THAT(scaled.memory.used_samples, ElementsAre(UsedSample{"External/queue", Ago(10)}));

  Snapshot second = MakePolicy(6);
  second.memory = scaled.memory;
  second.metrics = {testing::QueueOf("90", Ago(10))};
  EXPECT_EQ(Evaluate(second).status.desired_replicas, 6) << "the same sample again";
  second.metrics = {testing::QueueOf("90", Ago(9))};
  EXPECT_EQ(Evaluate(second).status.desired_replicas, 9) << "a newer sample";
  second.metrics[0] = testing::QueueOf("90");
  std::get<MetricValueList>(second.metrics[0])[0].timestamp.reset();
  EXPECT_EQ(Evaluate(second).status.desired_replicas, 9) << "a sample without a timestamp";
}

// The clocks of nodes may be ahead of the operator's.
TEST(PolicySamples, OneFromTheFutureIsTheSameOneLater) {
  Snapshot first = MakePolicy(4);
  first.metrics = {testing::QueueOf("60", Ago(-20))};
  Snapshot second = MakePolicy(6);
  second.memory = Evaluate(first).memory;
  second.now = kNow + Duration::Seconds(15);
  second.metrics = {testing::QueueOf("90", Ago(-20))};
  EXPECT_EQ(Evaluate(second).status.desired_replicas, 6) << "the same sample again";
  second.metrics = {testing::QueueOf("90", Ago(-21))};
  EXPECT_EQ(Evaluate(second).status.desired_replicas, 9) << "a newer sample";
}

TEST(PolicySamples, OneFromAClockThatWasWrongIsForgotten) {
  Snapshot snapshot = MakePolicy(4);
  snapshot.metrics = {testing::QueueOf("60", Ago(5))};
  snapshot.memory->used_samples = {{"External/queue", Ago(-300)}};
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 4);
  snapshot.memory->used_samples = {{"External/queue", Ago(-301)}};
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 6);
}

// The count that the policy remembers while its sample, used already, asks for more than it has.
TEST(PolicySamples, AreRememberedForWhatTheyAskedFor) {
  const api::Behavior behavior{api::ScalingRules{0, "Max", {{{"Pods", 2, 15}}}, {}},
                               api::ScalingRules{{}, "Max", {{{"Percent", 100, 15}}}, {}}};
  const struct {
    const char* name;
    std::optional<api::Behavior> behavior;
    std::int32_t recommended;  // when the sample was used
    std::int32_t remembered;
  } kCases[] = {
      {"by a rate", behavior, 9, 9},
      {"which had asked for less then", behavior, 6, 9},
      {"without a behavior", {}, 9, 9},
      // There it would scale out, so that one sample would justify more and more.
      {"without a behavior, which had asked for less then", {}, 7, 7},
  };
  for (const auto& c : kCases) {
    Snapshot cut = MakePolicy(6);
    cut.autoscaler.spec.behavior = c.behavior;
    cut.memory = Memory{{{Ago(290), c.recommended}}, {}, {}, {{"External/queue", Ago(10)}}};
    cut.metrics = {testing::QueueOf("90", Ago(10))};
    const Conclusion first = Evaluate(cut);
    EXPECT_EQ(first.status.desired_replicas, c.behavior ? 6 : c.recommended) << c.name;

    // The same sample again scales out no further.
    cut.now = kNow + Duration::Seconds(1);
    cut.memory = first.memory;
    EXPECT_EQ(Evaluate(cut).status.desired_replicas, c.behavior ? 6 : c.recommended) << c.name;

    // Somebody else scales out; a minute later a new sample asks for few.
    Snapshot later = MakePolicy(15);
    later.autoscaler.spec.behavior = c.behavior;
    later.now = kNow + Duration::Seconds(60);
    later.memory = first.memory;
    later.metrics = {testing::QueueOf("20", later.now)};
    EXPECT_EQ(Evaluate(later).status.desired_replicas, c.remembered) << c.name;
  }
}

// A pod whose clock is far ahead makes the others' samples neither newer nor older.
TEST(PolicySamples, OneThatIsTooFarAheadIsNoNewerOne) {
  Snapshot snapshot = MakePolicy(4);
  snapshot.autoscaler.spec.metrics = {testing::CpuMetric()};
  auto pods = testing::CpuOf(std::vector<std::string>(4, "100m"), Ago(10));
  const auto ahead = std::make_shared<api::PodMetrics>(*pods[0]);
  pods[0] = ahead;
  snapshot.metrics = {pods};
  snapshot.memory->used_samples = {{"Resource/cpu", Ago(10)}};
  ahead->timestamp = Ago(-3600);
  EXPECT_FALSE(Evaluate(snapshot).rescale);
  ahead->timestamp = Ago(-300);
  EXPECT_TRUE(Evaluate(snapshot).rescale) << "so far, clocks may differ";
  ahead->timestamp = Ago(-3600);
  snapshot.memory->used_samples = {{"Resource/cpu", Ago(11)}};
  EXPECT_TRUE(Evaluate(snapshot).rescale);
}

TEST(PolicySamples, BoundsDoNotAskForASample) {
  Snapshot snapshot = MakePolicy(2);
  snapshot.autoscaler.spec.min_replicas = 5;
  snapshot.memory->used_samples = {{"External/queue", kNow}};
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 5);
}

TEST(PolicySamples, AreUsedOnlyByAScaleUpThatMayHaveHappened) {
  Snapshot snapshot = MakePolicy(4);
  snapshot.metrics = {testing::QueueOf("60")};
  const Decision decision = Decide(snapshot);
  ASSERT_TRUE(decision.rescale);
  const struct {
    Outcome::Kind kind;
    std::size_t used;
  } kCases[] = {{Outcome::Kind::kWritten, 1},
                {Outcome::Kind::kUnknown, 1},
                {Outcome::Kind::kFailed, 0},
                {Outcome::Kind::kNotAttempted, 0}};
  for (const auto& c : kCases) {
    EXPECT_EQ(Conclude(snapshot, decision, {c.kind, "time-out"}).memory.used_samples.size(), c.used)
        << static_cast<int>(c.kind);
  }
}

TEST(PolicySamples, OfMetricsThatAreGoneAreForgotten) {
  Snapshot snapshot = MakePolicy(4);
  snapshot.memory->used_samples = {{"External/other", Ago(60)}, {"External/queue", Ago(60)}};
  EXPECT_THAT(Evaluate(snapshot).memory.used_samples,
              ElementsAre(UsedSample{"External/queue", Ago(60)}));
}

TEST(PolicyStaleness, AStaleMetricHasFailed) {
  Snapshot snapshot = MakePolicy(8);
  snapshot.metrics = {testing::QueueOf("20", Ago(301))};
  snapshot.memory.reset();
  const Conclusion conclusion = Evaluate(snapshot);
  EXPECT_FALSE(conclusion.rescale);
  const api::Condition* active = FindCondition(conclusion.status, "ScalingActive");
  ASSERT_NE(active, nullptr);
  EXPECT_EQ(active->reason, "FailedGetExternalMetric");
  EXPECT_THAT(active->message, AllOf(HasSubstr("5m1s old"), HasSubstr("5m0s")));

  snapshot.settings.stale_after = Duration::Seconds(600);
  EXPECT_EQ(FindCondition(Evaluate(snapshot).status, "ScalingActive")->status, "True");
  snapshot.settings.stale_after = Duration::Seconds(300);
  snapshot.autoscaler.kind = api::kHpaKind;
  EXPECT_EQ(FindCondition(Evaluate(snapshot).status, "ScalingActive")->status, "True");
}

TEST(PolicyStaleness, TheLimitIsTheMetricsOwnOrThreeWindows) {
  const struct {
    const char* name;
    std::optional<std::int32_t> limit;
    std::optional<std::int64_t> window;
    std::int64_t age;
    bool stale;
  } kCases[] = {
      {"the default", {}, {}, 300, false},
      {"older than the default", {}, {}, 301, true},
      {"short windows", {}, 60, 301, true},
      {"three long windows", {}, 200, 600, false},
      {"more than three", {}, 200, 601, true},
      {"a shorter limit", 30, {}, 31, true},
      {"within it", 30, {}, 30, false},
      {"a shorter limit than three windows", 30, 200, 31, true},
      {"a longer limit", 3600, {}, 3600, false},
      {"a window that cannot be", {}, 1'000'000'000'000, 1000, false},
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = MakePolicy(4);
    snapshot.autoscaler.spec.metrics.front().max_sample_age_seconds = c.limit;
    snapshot.metrics = {testing::QueueOf("20", Ago(c.age))};
    std::get<MetricValueList>(snapshot.metrics.front()).front().window_seconds = c.window;
    EXPECT_EQ(FindCondition(Evaluate(snapshot).status, "ScalingActive")->status,
              c.stale ? "False" : "True")
        << c.name;
    snapshot.autoscaler.kind = api::kHpaKind;
    EXPECT_EQ(FindCondition(Evaluate(snapshot).status, "ScalingActive")->status, "True") << c.name;
  }
}

// One of tomorrow would count until the day after.
TEST(PolicyStaleness, AMetricFromAClockThatIsWrongHasFailed) {
  const struct {
    const char* name;
    std::int64_t ahead;
    std::optional<std::int32_t> limit;  // maxSampleAgeSeconds
    bool usable;
  } kCases[] = {
      {"a little", 2, {}, true},
      {"as far as clocks differ", 300, {}, true},
      {"further", 301, {}, false},
      {"a day", 86'400, {}, false},
      {"a little, where a sample may be a second old", 2, 1, true},
      {"a day, where a sample may be as old", 86'400, 86'400, false},
      {"centuries", 300'000'000'000, {}, false},
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = MakePolicy(8);
    snapshot.autoscaler.spec.metrics.front().max_sample_age_seconds = c.limit;
    snapshot.memory = Memory{{{Ago(400), 4}}, {}, {}, {}};
    snapshot.metrics = {testing::QueueOf("20", Ago(-c.ahead))};
    const Conclusion conclusion = Evaluate(snapshot);
    EXPECT_EQ(FindCondition(conclusion.status, "ScalingActive")->status,
              c.usable ? "True" : "False")
        << c.name;
    EXPECT_EQ(conclusion.rescale, c.usable) << c.name;
    snapshot.autoscaler.kind = api::kHpaKind;
    EXPECT_TRUE(Evaluate(snapshot).rescale) << c.name << ", as an HPA";
  }
}

TEST(PolicyStaleness, SaysHowFarAheadASampleIs) {
  const std::string kMore =
      " ahead of the operator's clock, more than the 5m0s by which clocks may differ";
  const auto message = [](const std::vector<std::int64_t>& ages, bool summed) {
    Snapshot snapshot = MakePolicy(8);
    MetricValueList series;
    for (const std::int64_t age : ages) {
      series.push_back(testing::QueueOf("20", Ago(age)).front());
      series.back().described_object = "pod-" + std::to_string(series.size());
    }
    snapshot.metrics = {series};
    if (!summed) {
      api::MetricSpec& metric = snapshot.autoscaler.spec.metrics.front();
      metric.pods = {metric.external->metric, metric.external->target};
      metric.external.reset();
      metric.type = "Pods";
    }
    return FindCondition(Evaluate(snapshot).status, "ScalingActive")->message;
  };
  EXPECT_THAT(message({-301}, true), HasSubstr("the newest sample is 5m1s" + kMore));
  EXPECT_THAT(message({-600, 1}, true), HasSubstr("the newest of its series is 10m0s" + kMore));
  EXPECT_THAT(message({-600, 301}, true), HasSubstr("the newest of its series is 10m0s" + kMore));
  EXPECT_THAT(message({-301, -600}, false), HasSubstr("the newest sample is 10m0s" + kMore));
  EXPECT_THAT(message({-301, 301}, false),
              HasSubstr("the newest sample but for those of wrong clocks is 5m1s old"));
  EXPECT_THAT(message({-301, 1}, false), HasSubstr("successfully"));
}

// A pod whose sample is old counts as one without: in full, when the others would scale in.
TEST(PolicyStaleness, AnOldSampleOfOnePodIsMissing) {
  Snapshot snapshot = MakePolicy(4);
  snapshot.autoscaler.spec.metrics = {testing::CpuMetric()};
  snapshot.memory = Memory{{{Ago(400), 4}}, {}, {}, {}};
  snapshot.metrics = {testing::CpuOf(std::vector<std::string>(4, "10m"))};
  const std::int32_t all = Evaluate(snapshot).status.desired_replicas;
  auto& pods = std::get<PodMetricsList>(snapshot.metrics.front());
  auto old = std::make_shared<api::PodMetrics>(*pods[0]);
  old->timestamp = Ago(301);
  pods[0] = old;
  EXPECT_EQ(all, 1);
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 3);
  old->timestamp = Ago(-301);
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 3)
      << "nor does one count that is far ahead";
  snapshot.autoscaler.kind = api::kHpaKind;
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, all) << "upstream takes them as they are";
}

// A sum that lacks a series is not the truth.
TEST(PolicyStaleness, AnOldSeriesMakesTheSumUnusable) {
  Snapshot snapshot = MakePolicy(8);
  MetricValueList series = testing::QueueOf("20", Ago(1));
  series.push_back(testing::QueueOf("20", Ago(301)).front());
  snapshot.metrics = {series};
  const Conclusion conclusion = Evaluate(snapshot);
  EXPECT_FALSE(conclusion.rescale);
  EXPECT_THAT(FindCondition(conclusion.status, "ScalingActive")->message,
              HasSubstr("the oldest of its series is 5m1s old"));
}

TEST(PolicyStaleness, NeverLowersTheCountBesideAMetricThatAnswers) {
  Snapshot snapshot = MakePolicy(8);
  snapshot.autoscaler.spec.metrics = {testing::QueueMetric(), testing::CpuMetric()};
  snapshot.memory = Memory{{{Ago(400), 2}}, {}, {}, {}};
  snapshot.metrics = {testing::QueueOf("20", Ago(900)),
                      testing::CpuOf(std::vector<std::string>(8, "10m"))};
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 0) << "as it was: no new status";
  EXPECT_FALSE(Evaluate(snapshot).rescale);
  snapshot.metrics[1] = testing::CpuOf(std::vector<std::string>(8, "75m"));
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 12);
}

TEST(PolicySettings, ReadinessOverridesTheInstallation) {
  Snapshot snapshot = MakePolicy(1);
  snapshot.settings.scale_to_zero = false;
  snapshot.settings.configurable_tolerance = false;
  snapshot.autoscaler.spec.readiness = api::Readiness{17, {}};
  const Settings settings = EffectiveSettings(snapshot);
  EXPECT_EQ(settings.cpu_initialization_period, Duration::Seconds(17));
  EXPECT_EQ(settings.initial_readiness_delay, Duration::Seconds(30));
  EXPECT_TRUE(settings.scale_to_zero);
  EXPECT_TRUE(settings.configurable_tolerance);
}

TEST(PolicyMode, DisabledDecidesNothing) {
  Snapshot snapshot = MakePolicy(40);  // far above the maximum
  snapshot.autoscaler.spec.mode = "Disabled";
  const Conclusion conclusion = Evaluate(snapshot);
  EXPECT_FALSE(conclusion.rescale);
  EXPECT_EQ(conclusion.memory, *snapshot.memory);
  EXPECT_THAT(conclusion.events, IsEmpty());
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->status, "True");
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->reason, "Disabled");
  EXPECT_EQ(conclusion.status.observed_generation, 7);
}

TEST(PolicyMode, DryRunSaysWhatItWouldDo) {
  Snapshot snapshot = MakePolicy(4);
  snapshot.autoscaler.spec.mode = "DryRun";
  snapshot.autoscaler.spec.behavior.emplace();
  snapshot.autoscaler.spec.behavior->scale_up =
      api::ScalingRules{0, "Max", {{{"Pods", 4, 15}}}, {}};
  snapshot.metrics = {testing::QueueOf("60")};
  const Conclusion conclusion = Evaluate(snapshot);
  EXPECT_FALSE(conclusion.rescale);
  EXPECT_EQ(conclusion.dry_run_replicas, 6);
  EXPECT_EQ(conclusion.status.desired_replicas, 6);
  EXPECT_EQ(conclusion.status.current_replicas, 4);
  EXPECT_THAT(conclusion.events, IsEmpty());
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->message,
            "would scale from 4 to 6: external metric queue(nil) above target");
  EXPECT_EQ(conclusion.memory.recommendations.back(), (Recommendation{kNow, 6}));
  EXPECT_THAT(conclusion.memory.scale_ups, IsEmpty());
  EXPECT_THAT(conclusion.memory.used_samples, IsEmpty());
}

TEST(PolicyHolds, AnUnsettledWriteKeepsEverythingFromBeingWritten) {
  Snapshot outside = MakePolicy(40);
  Snapshot busy = MakePolicy(4);
  busy.metrics = {testing::QueueOf("60")};
  for (Snapshot* snapshot : {&outside, &busy}) {
    snapshot->unsettled_write = UnsettledWrite{Ago(3), 4, 8};
    const Decision decision = Decide(*snapshot);
    EXPECT_FALSE(decision.rescale);
    EXPECT_EQ(decision.target_replicas, decision.current_replicas);
    EXPECT_EQ(decision.status.desired_replicas, decision.current_replicas);
    const api::Condition* held = FindCondition(decision.status, "Held");
    EXPECT_EQ(held->status, "True");
    EXPECT_EQ(held->reason, "UnsettledWrite");
    EXPECT_THAT(held->message, HasSubstr("from 4 to 8, decided at 2026-03-04T11:59:57Z"));
    snapshot->autoscaler.kind = api::kHpaKind;
    EXPECT_FALSE(Decide(*snapshot).rescale);
  }
  // The recommendation is remembered all the same.
  busy.autoscaler.kind = api::kPolicyKind;
  EXPECT_EQ(Evaluate(busy).memory.recommendations.back(), (Recommendation{kNow, 6}));
}

TEST(PolicyHolds, AnOldViewOfThePodsKeepsFromScalingIn) {
  Snapshot idle = MakePolicy(8);
  idle.metrics = {testing::QueueOf("20")};
  idle.memory = Memory{{{Ago(400), 2}}, {}, {}, {}};
  Snapshot busy = MakePolicy(4);
  busy.metrics = {testing::QueueOf("60")};
  Snapshot above = MakePolicy(40);
  const struct {
    const char* name;
    Snapshot* snapshot;
    std::int64_t age;  // seconds
    std::int32_t replicas;
  } kCases[] = {{"scaling in on news", &idle, 120, 2},
                {"scaling in on an old view", &idle, 121, 8},
                {"scaling out", &busy, 121, 6},
                {"into the bounds", &above, 121, 20}};
  for (const auto& c : kCases) {
    c.snapshot->pods_age = Duration::Seconds(c.age);
    const Decision decision = Decide(*c.snapshot);
    EXPECT_EQ(decision.target_replicas, c.replicas) << c.name;
    const api::Condition* held = FindCondition(decision.status, "Held");
    EXPECT_EQ(held->reason, c.replicas == 8 ? "OldView" : "Active") << c.name;
  }
  idle.autoscaler.kind = api::kHpaKind;
  EXPECT_EQ(Decide(idle).target_replicas, 2) << "of HPAs it is only told";
}

TEST(PolicyHolds, HoldNothingWhereNothingIsToBeWritten) {
  Snapshot snapshot = MakePolicy(4);
  snapshot.unsettled_write = UnsettledWrite{Ago(3), 4, 8};
  EXPECT_EQ(FindCondition(Evaluate(snapshot).status, "Held")->status, "False");
}

TEST(PolicyConditions, ReadySaysWhetherTheEvaluationWentWell) {
  Snapshot snapshot = MakePolicy(4);
  EXPECT_EQ(FindCondition(Evaluate(snapshot).status, "Ready")->status, "True");
  EXPECT_EQ(FindCondition(Evaluate(snapshot).status, "Held")->status, "False");
  snapshot.scale = Failure{"no such thing"};
  EXPECT_EQ(FindCondition(Evaluate(snapshot).status, "Ready")->reason, "FailedGetScale");
  EXPECT_EQ(Evaluate(snapshot).status.observed_generation, 7);
  snapshot = MakePolicy(4);
  snapshot.metrics = {testing::QueueOf("60")};
  const Conclusion failed =
      Conclude(snapshot, Decide(snapshot), {Outcome::Kind::kFailed, "forbidden"});
  EXPECT_EQ(FindCondition(failed.status, "Ready")->reason, "FailedUpdateScale");
  EXPECT_THAT(FindCondition(failed.status, "Ready")->message, HasSubstr("forbidden"));
  EXPECT_EQ(FindCondition(Evaluate(MakeHpa(4)).status, "Ready"), nullptr);
}

TEST(PolicyConditions, ConflictedNamesWhoUndoesItsWork) {
  Snapshot snapshot = MakePolicy(2);
  snapshot.autoscaler.status.conditions = {{api::kConflicted, "True", "Rival", "", {}}};
  EXPECT_EQ(FindCondition(Evaluate(snapshot).status, api::kConflicted), nullptr);
  snapshot.opponent = Opponent{"", 4, 2};
  const Conclusion conclusion = Evaluate(snapshot);
  const api::Condition* conflicted = FindCondition(conclusion.status, api::kConflicted);
  ASSERT_NE(conflicted, nullptr);
  EXPECT_EQ(conflicted->status, "True");
  EXPECT_EQ(conflicted->reason, "TugOfWar");
  EXPECT_THAT(conflicted->message, AllOf(HasSubstr("another client keeps undoing"),
                                         HasSubstr("last from 4 to 2 replicas")));
}

TEST(PolicyConditions, HistoryDegradedComesWithAnEventOnce) {
  Snapshot snapshot = MakePolicy(2);
  snapshot.ledger_trouble = LedgerTrouble{"Full", "no space"};
  for (const std::size_t events : {1U, 0U}) {
    const Conclusion conclusion = Evaluate(snapshot);
    EXPECT_EQ(FindCondition(conclusion.status, api::kHistoryDegraded)->reason, "Full");
    EXPECT_EQ(conclusion.events.size(), events);
    snapshot.autoscaler.status = conclusion.status;
  }
  snapshot.ledger_trouble.reset();
  EXPECT_EQ(FindCondition(Evaluate(snapshot).status, api::kHistoryDegraded), nullptr);
}

TEST(PolicyReason, OfAWakeUpForTheMinimum) {
  Snapshot snapshot = AtZero(MakePolicy(0));
  snapshot.autoscaler.spec.min_replicas = 2;
  snapshot.autoscaler.spec.behavior.emplace();
  snapshot.metrics = {testing::QueueOf("0")};
  const Decision decision = Decide(snapshot);
  EXPECT_EQ(decision.target_replicas, 2);
  EXPECT_EQ(decision.rescale_reason, "Current number of replicas below Spec.MinReplicas");
}

// What says "no limit" in Go wraps around.
TEST(PolicyNumbers, ARateWithoutALimitLimitsNothing) {
  const auto rated = [](Snapshot snapshot, const char* type) {
    snapshot.autoscaler.spec.max_replicas = 1'000;
    snapshot.metrics = {testing::QueueOf("5000")};
    snapshot.autoscaler.spec.behavior = api::Behavior{
        api::ScalingRules{0, "Max", {{{type, std::numeric_limits<std::int32_t>::max(), 60}}}, {}},
        {}};
    return Evaluate(snapshot).status.desired_replicas;
  };
  for (const char* type : {"Pods", "Percent"}) {
    EXPECT_EQ(rated(MakePolicy(200), type), 500) << type;
    EXPECT_EQ(rated(MakeHpa(200), type), 200) << type;
  }
}

// A request of 128 bytes, where 128Mi was meant: 2.5 thousand million percent.
TEST(PolicyNumbers, AUtilizationBeyondInt32ScalesOut) {
  const auto asked = [](Snapshot snapshot) {
    api::MetricSpec memory = testing::CpuMetric();
    memory.resource->name = "memory";
    snapshot.autoscaler.spec.metrics = {memory};
    auto pod = testing::MakePod("pod-0");
    pod->containers = {{"app", {{"memory", Parse("128")}}, false}};
    snapshot.pods = PodList{pod};
    auto used = std::make_shared<api::PodMetrics>();
    used->name = "pod-0";
    used->timestamp = Ago(5);
    used->window = Duration::Seconds(30);
    used->containers = {{"app", {{"memory", Parse("3Gi")}}}};
    snapshot.metrics = {PodMetricsList{used}};
    snapshot.memory = Memory{{{Ago(301), 1}}, {}, {}, {}};
    return Evaluate(snapshot).status.desired_replicas;
  };
  EXPECT_EQ(asked(MakePolicy(4)), 8);
  EXPECT_EQ(asked(MakeHpa(4)), 1);
}

// Nanoseconds since 1970, say: in thousandths they do not fit into int64.
TEST(PolicyNumbers, AValueBeyondInt64ScalesOut) {
  const auto asked = [](Snapshot snapshot, const char* value) {
    snapshot.metrics = {testing::QueueOf(value)};
    snapshot.memory = Memory{{{Ago(301), 1}}, {}, {}, {}};
    return Evaluate(snapshot).status.desired_replicas;
  };
  for (const char* value : {"1764109000000000000", "9223372036854775807", "99E", "1e40"}) {
    EXPECT_EQ(asked(MakePolicy(4), value), 8) << value;
  }
}

// From 2^30 replicas on, upstream's limit of twice the count becomes the minimum of int32.
TEST(PolicyBounds, HoldForTheLargestCounts) {
  Snapshot snapshot = MakePolicy(4);
  auto& scale = std::get<api::Scale>(snapshot.scale);
  scale.spec_replicas = scale.status_replicas = 1'500'000'000;
  snapshot.autoscaler.spec.max_replicas = 2'000'000'000;
  snapshot.metrics = {testing::QueueOf("90G")};
  EXPECT_EQ(Decide(snapshot).target_replicas, 2'000'000'000);
  snapshot.autoscaler.kind = api::kHpaKind;
  EXPECT_EQ(Decide(snapshot).target_replicas, std::numeric_limits<std::int32_t>::min());
}

}  // namespace
}  // namespace ballast::engine
