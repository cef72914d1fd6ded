#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using ::testing::ElementsAre;
using testing::FindCondition;
using ::testing::IsEmpty;
using testing::kNow;
using testing::MakeHpa;

// Scales from four replicas to six, with a behavior, so that scale events are remembered.
Snapshot Growing() {
  Snapshot snapshot = MakeHpa(4);
  snapshot.metrics = {testing::QueueOf("60")};
  snapshot.autoscaler.spec.behavior.emplace();
  snapshot.autoscaler.spec.behavior->scale_up =
      api::ScalingRules{0, "Max", {{{"Pods", 4, 15}}}, {}};
  snapshot.autoscaler.status.desired_replicas = 3;
  return snapshot;
}

TEST(Conclude, Written) {
  const Snapshot snapshot = Growing();
  const Conclusion conclusion = Conclude(snapshot, Decide(snapshot), {Outcome::Kind::kWritten, ""});
  EXPECT_TRUE(conclusion.rescale);
  EXPECT_EQ(conclusion.status.desired_replicas, 6);
  EXPECT_EQ(conclusion.status.last_scale_time, kNow);
  EXPECT_THAT(conclusion.memory.scale_ups, ElementsAre(ScaleEvent{kNow, 2}));
  EXPECT_EQ(FindCondition(conclusion.status, "AbleToScale")->reason, "SucceededRescale");
}

TEST(Conclude, FailedLeavesNoTraceInMemory) {
  const Snapshot snapshot = Growing();
  const Conclusion conclusion =
      Conclude(snapshot, Decide(snapshot), {Outcome::Kind::kFailed, "forbidden"});
  EXPECT_EQ(conclusion.status.desired_replicas, 3);
  EXPECT_EQ(conclusion.status.last_scale_time, std::nullopt);
  EXPECT_THAT(conclusion.memory.scale_ups, IsEmpty());
  EXPECT_EQ(FindCondition(conclusion.status, "AbleToScale")->reason, "FailedUpdateScale");
}

TEST(Conclude, UnknownCountsAsIfItHappened) {
  const Snapshot snapshot = Growing();
  const Conclusion conclusion =
      Conclude(snapshot, Decide(snapshot), {Outcome::Kind::kUnknown, "time-out"});
  EXPECT_EQ(conclusion.status.desired_replicas, 3);
  EXPECT_THAT(conclusion.memory.scale_ups, ElementsAre(ScaleEvent{kNow, 2}));
}

TEST(Conclude, NotAttemptedChangesNothing) {
  const Snapshot snapshot = Growing();
  const Decision decision = Decide(snapshot);
  const Conclusion conclusion =
      Conclude(snapshot, decision, {Outcome::Kind::kNotAttempted, "lost the lease"});
  EXPECT_EQ(conclusion.status.desired_replicas, 3);
  EXPECT_EQ(conclusion.memory, decision.memory);
  EXPECT_THAT(conclusion.events, IsEmpty());
}

TEST(Decide, TracingChangesNothing) {
  const Snapshot snapshot = Growing();
  const Decision with = Decide(snapshot, Tracing::kOn);
  const Decision without = Decide(snapshot, Tracing::kOff);
  EXPECT_FALSE(with.trace.empty());
  EXPECT_TRUE(without.trace.empty());
  EXPECT_EQ(with.target_replicas, without.target_replicas);
  EXPECT_EQ(with.memory, without.memory);
}

}  // namespace
}  // namespace ballast::engine
