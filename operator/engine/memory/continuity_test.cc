#include "operator/engine/memory/continuity.h"

#include <gtest/gtest.h>

#include <optional>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;

// The table of the header.
TEST(Continuity, ForgetsWhatABreakEnds) {
  const struct {
    Break how;
    bool recommendations;
    bool events;
    bool samples;
  } kCases[] = {{Break::kDoubt, true, true, true},
                {Break::kYielded, false, true, true},
                {Break::kOtherTarget, false, false, false}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(static_cast<int>(c.how));
    Memory memory{.recommendations = {{Ago(15), 5}},
                  .scale_ups = {{Ago(15), 2}},
                  .scale_downs = {{Ago(30), 1}},
                  .used_samples = {{"External/queue", Ago(15)}},
                  .no_value_since = Ago(15),
                  .suspect_since = Ago(15)};
    Forget(c.how, memory);
    EXPECT_EQ(!memory.recommendations.empty(), c.recommendations);
    EXPECT_EQ(!memory.scale_ups.empty() && !memory.scale_downs.empty(), c.events);
    EXPECT_EQ(!memory.used_samples.empty(), c.samples);
    EXPECT_EQ(memory.no_value_since, std::nullopt);
    EXPECT_EQ(memory.suspect_since, std::nullopt);
  }
}

}  // namespace
}  // namespace ballast::engine
