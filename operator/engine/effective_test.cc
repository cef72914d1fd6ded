#include "operator/engine/effective.h"

#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

// Each decision has the bounds, however the evaluation ends.
TEST(Bounds, AreThoseOfTheSpecInEveryDecision) {
  const struct {
    const char* name;
    void (*apply)(Snapshot&);
    std::int32_t min;
    std::int32_t max;
  } kCases[] = {
      {"as they are", [](Snapshot&) {}, 1, 20},
      {"no minimum", [](Snapshot& s) { s.autoscaler.spec.min_replicas.reset(); }, 1, 20},
      {"to zero", [](Snapshot& s) { s.autoscaler.spec.min_replicas = 0; }, 0, 20},
      {"others", [](Snapshot& s) { s.autoscaler.spec.max_replicas = 3; }, 1, 3},
      {"no scale", [](Snapshot& s) { s.scale = Failure{"gone"}; }, 1, 20},
      {"disabled", [](Snapshot& s) { s.autoscaler.spec.mode = "Disabled"; }, 1, 20},
  };
  for (const char* kind : {api::kHpaKind, api::kPolicyKind}) {
    for (const auto& c : kCases) {
      Snapshot snapshot = testing::MakeSnapshot(kind, 4);
      c.apply(snapshot);
      const Bounds bounds = Decide(snapshot).bounds;
      EXPECT_EQ(bounds.min, c.min) << c.name;
      EXPECT_EQ(bounds.max, c.max) << c.name;
      EXPECT_EQ(EffectiveBounds(snapshot).min, c.min) << c.name;
    }
  }
}

}  // namespace
}  // namespace ballast::engine
