#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "operator/controllers/autoscaler_memory.h"

namespace ballast::controllers {
namespace {

// Nothing else makes an HPA's list of recommendations shorter.
TEST(LateConclusion, AddsNoRecommendationThatIsKnown) {
  const Time now(1'700'000'000, 0);
  auto snapshot = std::make_shared<engine::Snapshot>();
  snapshot->autoscaler.kind = api::kHpaKind;
  snapshot->now = now;
  Attempt attempt{.snapshot = snapshot, .change = {"d1", 3, 5}};
  attempt.decision.memory.recommendations = {{now - Duration::Seconds(15), 3}, {now, 5}};
  AutoscalerMemory memory;
  memory.Gathered({now, process::SteadyTime()}, true);
  memory.Concluded(attempt.decision.memory);
  engine::Memory later;
  later.recommendations = {{now - Duration::Seconds(15), 3}, {now + Duration::Seconds(15), 4}};
  memory.Concluded(later);
  memory.ConcludedLate(attempt, {engine::Outcome::Kind::kUnknown, "lost"});
  const std::vector<engine::Recommendation> expected = {
      {now - Duration::Seconds(15), 3}, {now + Duration::Seconds(15), 4}, {now, 5}};
  EXPECT_EQ(memory.memory().recommendations, expected);
}

}  // namespace
}  // namespace ballast::controllers
