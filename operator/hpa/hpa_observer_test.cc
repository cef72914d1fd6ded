#include "operator/hpa/hpa_observer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/condition_types.h"

namespace ballast::hpa {
namespace {

constexpr Duration kPeriod = Duration::Seconds(60);

Time At(double seconds) {
  return Time(1'700'000'000, 0) + Duration{static_cast<std::int64_t>(seconds * 1e9)};
}

// An HPA whose controller's last status says this. `scaled`: its lastScaleTime, in seconds.
api::Autoscaler Hpa(std::int32_t current, std::int32_t desired, std::optional<double> scaled,
                    const char* reason = "ReadyForNewScale") {
  api::Autoscaler hpa{.kind = api::kHpaKind};
  hpa.metadata.namespace_ = "shop";
  hpa.metadata.name = "web";
  hpa.metadata.uid = "u1";
  hpa.status.current_replicas = current;
  hpa.status.desired_replicas = desired;
  if (scaled) {
    hpa.status.last_scale_time = At(*scaled);
  }
  hpa.status.conditions = {{api::kAbleToScale, "True", reason, "a message", {}}};
  return hpa;
}

// Just scaled.
api::Autoscaler Scaled(std::int32_t current, std::int32_t desired, double scaled) {
  return Hpa(current, desired, scaled, "SucceededRescale");
}

class HpaObserverTest : public ::testing::Test {
 protected:
  // "3 -> 5 SuccessfulRescale: ... @ 12", "5 ReadyForNewScale: ... @ 12", or "waits".
  std::string See(const api::Autoscaler& hpa, double now) {
    const auto seen = observer_.See(hpa, At(now), kPeriod, [&](std::int32_t size, Time since) {
      asked_since_ = since;
      const Time time = event_time_ ? At(*event_time_) : since;
      return size == event_size_ && time >= since ? std::optional(SeenRescale{"because", time})
                                                  : std::nullopt;
    });
    if (!seen) {
      return "waits";
    }
    time_ = seen->time;
    std::string text = std::to_string(seen->current_replicas);
    if (seen->current_replicas != seen->desired_replicas) {
      text += " -> " + std::to_string(seen->desired_replicas);
    }
    return text + " " + seen->reason + ": " + seen->message + " @ " +
           std::to_string((seen->time - At(0)).nanoseconds / 1'000'000'000);
  }

  HpaObserver observer_;
  std::int32_t event_size_ = 5;
  std::optional<double> event_time_;  // absent: as early as may be
  std::optional<Time> asked_since_;
  Time time_;  // of what was seen last
};

TEST_F(HpaObserverTest, RecordsAScalingWithItsTimeAndItsReason) {
  EXPECT_EQ(See(Hpa(3, 3, {}), 10.7), "3 ReadyForNewScale: a message @ 10");
  EXPECT_EQ(See(Scaled(3, 5, 12), 12.3), "3 -> 5 SuccessfulRescale: because @ 12");
  EXPECT_LE(*asked_since_, At(11)) << "the event is older than the status";
  EXPECT_EQ(See(Scaled(3, 5, 12), 20), "5 SucceededRescale: a message @ 20") << "still that one";
  EXPECT_EQ(See(Hpa(5, 5, 12), 30), "5 ReadyForNewScale: a message @ 30");
  EXPECT_FALSE(observer_.TakeForeignChange());
}

TEST_F(HpaObserverTest, AScalingIsNeverOlderThanTheObservationBefore) {
  See(Hpa(3, 3, {}), 12.7);
  EXPECT_EQ(See(Scaled(3, 5, 12), 13), "3 -> 5 SuccessfulRescale: because @ 12");
  EXPECT_EQ(time_, At(12.7));
}

TEST_F(HpaObserverTest, WaitsALittleForTheEvent) {
  event_size_ = 0;
  See(Hpa(3, 3, {}), 10);
  EXPECT_EQ(See(Scaled(3, 5, 12), 12), "waits");
  EXPECT_EQ(observer_.again(), HpaObserver::kEventDelay);
  EXPECT_EQ(See(Scaled(3, 5, 12), 14), "waits");
  event_size_ = 5;
  EXPECT_EQ(See(Scaled(3, 5, 12), 14.5), "3 -> 5 SuccessfulRescale: because @ 12");
  event_size_ = 0;
  EXPECT_EQ(See(Scaled(5, 6, 27), 27), "waits");
  EXPECT_EQ(See(Scaled(5, 6, 27), 30), "5 -> 6 SuccessfulRescale: no event says why @ 27");
}

TEST_F(HpaObserverTest, TheFirstObservationRecordsNoScaling) {
  EXPECT_EQ(See(Scaled(3, 5, 12), 12.5), "5 SucceededRescale: a message @ 12");
  EXPECT_EQ(See(Hpa(5, 5, 12), 28), "5 ReadyForNewScale: a message @ 28");
}

TEST_F(HpaObserverTest, RecordsTheFirstScalingOfANewHpa) {
  api::Autoscaler unserved = Hpa(0, 0, {});
  unserved.status = {};
  EXPECT_EQ(See(unserved, 10), "waits");
  EXPECT_FALSE(observer_.again()) << "nothing is waited for";
  unserved.status.conditions = {{api::kManaged, "False", "", "Ballast's claim", {}}};
  EXPECT_EQ(See(unserved, 11), "waits") << "that is not its controller's";
  EXPECT_EQ(See(Scaled(1, 5, 12), 12.5), "1 -> 5 SuccessfulRescale: because @ 12");
}

TEST_F(HpaObserverTest, AfterARestartOnlyWhatIsNewIsRecorded) {
  const HpaObserver known(At(100), 3);
  observer_ = known;
  EXPECT_EQ(See(Hpa(3, 3, 40), 200), "3 ReadyForNewScale: a message @ 200");
  observer_ = known;
  EXPECT_EQ(See(Hpa(5, 5, 150), 200), "3 -> 5 SuccessfulRescale: because @ 150");
  observer_ = known;
  event_time_ = 180;
  EXPECT_EQ(See(Hpa(5, 5, 150), 200), "3 -> 5 SuccessfulRescale: because @ 180")
      << "the status is about an earlier scaling, maybe one of Ballast's";
  observer_ = HpaObserver(At(100), 0);
  EXPECT_EQ(See(Hpa(5, 5, 150), 200), "5 ReadyForNewScale: a message @ 200")
      << "the scale may not have been read";
  EXPECT_FALSE(observer_.TakeForeignChange());
}

// Another replica of Ballast managed it meanwhile, and has stopped.
TEST_F(HpaObserverTest, WhatBallastScaledIsNotItsControllers) {
  observer_ = HpaObserver(At(100), 9);
  api::Autoscaler ours = Scaled(7, 4, 150);
  ours.status_writer = api::FieldManager{"ballast", At(150)};
  EXPECT_EQ(See(ours, 200), "waits");
  EXPECT_EQ(See(ours, 203), "4 SucceededRescale: a message @ 203");
  EXPECT_EQ(observer_.TakeForeignChange()->to, 4);
}

TEST_F(HpaObserverTest, SeveralScalingsBetweenTwoObservationsBecomeOne) {
  See(Hpa(3, 3, {}), 10);
  EXPECT_EQ(See(Hpa(5, 5, 40), 60), "3 -> 5 SuccessfulRescale: because @ 40");
}

TEST_F(HpaObserverTest, AScalingThatWasNotSeenMayBeFollowedBySomebodyElsesChange) {
  event_size_ = 13;
  See(Hpa(14, 14, {}), 10);
  EXPECT_EQ(See(Hpa(1, 1, 40), 60), "waits");
  EXPECT_EQ(See(Hpa(1, 1, 40), 63), "1 ReadyForNewScale: a message @ 63");
  const auto change = observer_.TakeForeignChange();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->from, 14);
  EXPECT_EQ(change->to, 1);
}

TEST_F(HpaObserverTest, AChangeWithoutAScalingIsSomebodyElses) {
  See(Hpa(3, 3, 5), 10);
  EXPECT_EQ(See(Hpa(7, 7, 5), 20), "7 ReadyForNewScale: a message @ 20");
  const auto change = observer_.TakeForeignChange();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->from, 3);
  EXPECT_EQ(change->to, 7);
  EXPECT_FALSE(observer_.TakeForeignChange()) << "once";
}

TEST_F(HpaObserverTest, AnEventTellsOfAScalingWhoseStatusWasNotSeen) {
  See(Hpa(3, 3, {}), 10);
  event_time_ = 17;
  EXPECT_EQ(See(Hpa(5, 5, {}), 20), "3 -> 5 SuccessfulRescale: because @ 17")
      << "its status failed";
  EXPECT_FALSE(observer_.TakeForeignChange());
  event_size_ = 8;
  event_time_ = 16;
  EXPECT_EQ(See(Hpa(8, 8, {}), 30), "5 -> 8 SuccessfulRescale: because @ 17")
      << "not before the one before";
  event_size_ = 9;
  event_time_ = 36;
  EXPECT_EQ(See(Scaled(9, 4, 40), 40), "8 -> 9 SuccessfulRescale: because @ 36");
  EXPECT_TRUE(observer_.again());
  event_size_ = 4;
  event_time_ = 39;
  EXPECT_EQ(See(Scaled(9, 4, 40), 40), "9 -> 4 SuccessfulRescale: because @ 40");
  EXPECT_FALSE(observer_.TakeForeignChange());
}

TEST_F(HpaObserverTest, AScaleThatCannotBeReadSaysNothing) {
  EXPECT_EQ(See(Hpa(0, 0, {}, "FailedGetScale"), 10), "0 FailedGetScale: a message @ 10");
  EXPECT_EQ(See(Hpa(3, 3, {}), 20), "3 ReadyForNewScale: a message @ 20");
  EXPECT_FALSE(observer_.TakeForeignChange()) << "of 0 to 3";
  EXPECT_EQ(See(Scaled(3, 5, 30), 30), "3 -> 5 SuccessfulRescale: because @ 30");
  EXPECT_EQ(See(Hpa(3, 5, 30, "FailedGetScale"), 40), "5 FailedGetScale: a message @ 40");
  EXPECT_EQ(See(Hpa(5, 5, 30), 50), "5 ReadyForNewScale: a message @ 50");
  EXPECT_FALSE(observer_.TakeForeignChange());
}

TEST_F(HpaObserverTest, AnotherTargetStartsAnew) {
  See(Hpa(3, 3, 5), 10);
  api::Autoscaler moved = Hpa(8, 8, 9);
  moved.spec.scale_target_ref.name = "another";
  EXPECT_EQ(See(moved, 20), "8 ReadyForNewScale: a message @ 20");
  EXPECT_FALSE(observer_.TakeForeignChange());
}

TEST_F(HpaObserverTest, AScalingMayFollowSomebodyElsesChange) {
  See(Hpa(3, 3, {}), 10);
  EXPECT_EQ(See(Scaled(7, 5, 20), 20), "7 -> 5 SuccessfulRescale: because @ 20");
  const auto change = observer_.TakeForeignChange();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->from, 3);
  EXPECT_EQ(change->to, 7);
}

TEST_F(HpaObserverTest, RecordsTheMetricsValues) {
  api::Autoscaler hpa = Hpa(3, 3, {});
  hpa.spec.metrics.resize(2);
  for (api::MetricSpec& metric : hpa.spec.metrics) {
    metric.type = "Resource";
    metric.resource = {.name = "cpu", .target = {.type = "Utilization"}};
  }
  hpa.spec.metrics[1].resource->name = "memory";
  hpa.status.current_metrics.resize(2);
  hpa.status.current_metrics[0] = {.type = "Resource", .resource = "cpu"};
  hpa.status.current_metrics[0].current.average_utilization = 45;
  hpa.status.current_metrics[1] = {.type = "Resource", .resource = "cpu"};
  hpa.status.current_metrics[1].current.average_utilization = 46;
  const auto seen = observer_.See(hpa, At(10), kPeriod, nullptr);
  ASSERT_TRUE(seen);
  const auto& readings = seen->readings;
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].metric, "Resource/cpu");
  EXPECT_EQ(readings[0].target, "Utilization");
  EXPECT_EQ(readings[0].milli, 45'000);
  EXPECT_EQ(readings[1].milli, std::nullopt) << "the status is about an earlier spec";
}

TEST(IsNews, IsAllButADriftOfMetricValues) {
  const api::Autoscaler before = Hpa(3, 3, 10);
  api::Autoscaler drifted = before;
  drifted.status.current_metrics.resize(1);
  drifted.status.conditions[0].message = "another message";
  EXPECT_FALSE(IsNews(before, drifted));
  EXPECT_TRUE(IsNews(before, Hpa(4, 3, 10)));
  EXPECT_TRUE(IsNews(before, Hpa(3, 4, 10)));
  EXPECT_TRUE(IsNews(before, Hpa(3, 3, 11)));
  EXPECT_TRUE(IsNews(before, Hpa(3, 3, 10, "ScaleDownStabilized")));
  api::Autoscaler ignored = before;
  ignored.metadata.annotations["ballast.dev/hpa-mode"] = "ignore";
  EXPECT_TRUE(IsNews(before, ignored));
  api::Autoscaler edited = before;
  edited.editor = api::FieldManager{"kubectl", Time(7, 0)};
  EXPECT_TRUE(IsNews(before, edited));
  EXPECT_FALSE(IsNews(edited, edited));
  api::Autoscaler again = edited;
  again.editor->time = Time(8, 0);
  EXPECT_TRUE(IsNews(edited, again));
}

}  // namespace
}  // namespace ballast::hpa
