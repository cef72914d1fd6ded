#include "operator/engine/memory/memory_mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ballast::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Time At(double seconds) {
  return Time(1'800'000'000, 0) + Duration{static_cast<std::int64_t>(seconds * 1e9)};
}

// A scale-down window of 60 s and no scale-up window; rate periods of 30 s in both directions.
api::AutoscalerSpec Spec() {
  api::AutoscalerSpec spec;
  spec.behavior.emplace();
  spec.behavior->scale_up = {.stabilization_window_seconds = 0,
                             .policies = {{{.type = "Pods", .value = 4, .period_seconds = 30}}}};
  spec.behavior->scale_down = {.stabilization_window_seconds = 60,
                               .policies = {{{.type = "Pods", .value = 4, .period_seconds = 30}}}};
  return spec;
}

Memory Mirrored(const Memory& memory, double now) { return MirrorOf(Spec(), {}, memory, At(now)); }

TEST(MemoryMirror, HasWhatStillHoldsAndLimits) {
  Memory memory;
  memory.recommendations = {{At(0), 9}, {At(50), 8}, {At(60), 5}, {At(70), 6}, {At(80), 4}};
  memory.scale_ups = {{At(10), 1}, {At(60), 3}};
  memory.scale_downs = {{At(79.5), 2}};
  memory.used_samples = {{"Resource/cpu", At(77)}};
  const Memory mirror = Mirrored(memory, 80);
  // 9 is older than the window, 6 exceeds 5, and 4 is the present recommendation.
  EXPECT_THAT(mirror.recommendations,
              ElementsAre(Recommendation{At(50), 8}, Recommendation{At(70), 6}));
  EXPECT_THAT(mirror.scale_ups, ElementsAre(ScaleEvent{At(60), 3}));
  EXPECT_EQ(mirror.scale_downs, memory.scale_downs);
  EXPECT_EQ(mirror.used_samples, memory.used_samples);
}

TEST(MemoryMirror, OfAQuietPolicyStaysTheSame) {
  Memory memory;
  for (int i = 0; i < 10; ++i) {
    memory.recommendations.push_back({At(i * 15), 5});
    EXPECT_THAT(Mirrored(memory, i * 15).recommendations, IsEmpty());
  }
}

// A count that falls, or grows, at each evaluation of a second: the mirror has a bounded
// size, and holds at each later moment at least as much as all of it would.
TEST(MemoryMirror, IsBoundedAndHoldsNoLess) {
  constexpr int kEvaluations = 1'000;
  api::AutoscalerSpec spec = Spec();
  spec.behavior->scale_up->stabilization_window_seconds = kEvaluations;
  spec.behavior->scale_down->stabilization_window_seconds = kEvaluations;
  spec.behavior->scale_up->policies->front().period_seconds = kEvaluations;
  spec.behavior->scale_down->policies->front().period_seconds = kEvaluations;
  for (const int step : {-1, 1}) {
    Memory memory;
    for (int i = 0; i < kEvaluations; ++i) {
      memory.recommendations.push_back({At(i), 2'000 + step * i});
      (step > 0 ? memory.scale_ups : memory.scale_downs).push_back({At(i), 1});
    }
    const Memory mirror = MirrorOf(spec, {}, memory, At(kEvaluations - 1));
    EXPECT_LE(mirror.recommendations.size(), 2 * 64U);
    EXPECT_LE(mirror.scale_ups.size() + mirror.scale_downs.size(), 64U);
    for (int from = 0; from < kEvaluations - 1; from += 7) {
      const auto extreme = [&](const std::vector<Recommendation>& all) {
        int most = 0;  // beyond the latest one
        for (const auto& one : all) {
          const int beyond = step * (2'000 + step * (kEvaluations - 1) - one.replicas);
          most = one.time >= At(from) ? std::max(most, beyond) : most;
        }
        return most;
      };
      EXPECT_GE(extreme(mirror.recommendations), extreme(memory.recommendations));
      const auto changed = [&](const Memory& of) {
        int sum = 0;
        for (const auto& event : step > 0 ? of.scale_ups : of.scale_downs) {
          sum += event.time >= At(from) ? event.change : 0;
        }
        return sum;
      };
      EXPECT_GE(changed(mirror), changed(memory));
    }
  }
}

TEST(MemoryMirror, AddsWhatTheStoreDoesNotKnow) {
  Memory memory;
  memory.scale_ups = {{At(10), 1}, {At(60), 3}};
  memory.used_samples = {{"Resource/cpu", At(70)}, {"Pods/queue", At(80)}};
  Memory mirror;
  mirror.recommendations = {{At(50), 8}};
  mirror.scale_ups = {{At(60), 3}, {At(65), 1}};
  mirror.used_samples = {{"Resource/cpu", At(77)}, {"Pods/queue", At(75)}, {"External/q", At(1)}};
  Restore(memory, mirror, false);
  EXPECT_EQ(memory.recommendations, mirror.recommendations);
  EXPECT_THAT(memory.scale_ups,
              ElementsAre(ScaleEvent{At(10), 1}, ScaleEvent{At(60), 3}, ScaleEvent{At(65), 1}));
  ASSERT_THAT(memory.used_samples, SizeIs(3));
  EXPECT_EQ(memory.used_samples[0].timestamp, At(77));
  EXPECT_EQ(memory.used_samples[1].timestamp, At(80));
}

// One of a program that did not remember targets says nothing of them.
TEST(MemoryMirror, TellsTwoTargets) {
  const struct {
    const char* known;
    const char* mirrored;
    bool are_two;
    const char* restored;
  } kCases[] = {{"d1", "d1", false, "d1"},
                {"d1", "d2", true, "d1"},
                {"", "d2", false, "d2"},
                {"d1", "", false, "d1"}};
  for (const auto& c : kCases) {
    Memory memory{.target = c.known};
    const Memory mirror{.target = c.mirrored};
    EXPECT_EQ(AreOfTwoTargets(memory, mirror), c.are_two) << c.known << c.mirrored;
    Restore(memory, mirror, false);
    EXPECT_EQ(memory.target, c.restored) << c.known << c.mirrored;
  }
}

// Absent: a metric had a value at its last evaluation, or no source was suspect.
TEST(MemoryMirror, BelievesTheNewerOneSinceWhenSomethingLasts) {
  const std::optional<Time> none;
  for (const auto& known : {none, std::optional(At(10)), std::optional(At(30))}) {
    for (const auto& mirrored : {none, std::optional(At(20))}) {
      for (const bool own : {false, true}) {
        Memory memory;
        memory.no_value_since = memory.suspect_since = known;
        Memory mirror;
        mirror.no_value_since = mirror.suspect_since = mirrored;
        Restore(memory, mirror, own);
        EXPECT_EQ(memory.no_value_since, own ? known : mirrored);
        EXPECT_EQ(memory.suspect_since, own ? known : mirrored);
      }
    }
  }
}

}  // namespace
}  // namespace ballast::engine
