#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using testing::kNow;

// One replica would suffice, and the old recommendation holds nothing.
Snapshot Idle(const char* kind) {
  Snapshot snapshot = testing::MakeSnapshot(kind, 7);
  snapshot.memory->recommendations = {{Ago(400), 3}};
  snapshot.metrics = {testing::QueueOf("10")};
  return snapshot;
}

TEST(TakeOver, GoesOnFromThePresentReplicasAndSaysSo) {
  Snapshot snapshot = Idle(api::kPolicyKind);
  EXPECT_TRUE(Decide(snapshot).rescale);
  snapshot.takes_over_from = "old";
  const Conclusion conclusion = testing::Evaluate(snapshot);
  EXPECT_FALSE(conclusion.rescale) << "for a window";
  EXPECT_THAT(conclusion.memory.recommendations, ::testing::Contains(Recommendation{kNow, 7}));
  const api::Condition* told = testing::FindCondition(conclusion.status, api::kTookOver);
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->status, "True");
  EXPECT_EQ(told->message,
            "HorizontalPodAutoscaler shop/old does not scale Deployment web: this policy does now, "
            "from its present 7 replicas");
  ASSERT_EQ(conclusion.events.size(), 1U);
  EXPECT_EQ(conclusion.events[0].reason, api::kTookOver);
  EXPECT_EQ(conclusion.events[0].message, told->message);
}

TEST(TakeOver, WaitsForAScaleAndConcernsNoHpa) {
  Snapshot unknown = Idle(api::kPolicyKind);
  unknown.scale = Failure{"not found"};
  for (Snapshot snapshot : {unknown, Idle(api::kHpaKind)}) {
    snapshot.takes_over_from = "old";
    EXPECT_EQ(testing::FindCondition(testing::Evaluate(snapshot).status, api::kTookOver), nullptr);
  }
}

}  // namespace
}  // namespace ballast::engine
