#include "operator/engine/memory/continuity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using ::testing::ElementsAre;
using testing::kNow;

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
                  .suspect_since = Ago(15),
                  .target = "d1"};
    Forget(c.how, memory);
    EXPECT_EQ(!memory.recommendations.empty(), c.recommendations);
    EXPECT_EQ(!memory.scale_ups.empty() && !memory.scale_downs.empty(), c.events);
    EXPECT_EQ(!memory.used_samples.empty(), c.samples);
    EXPECT_EQ(memory.no_value_since, std::nullopt);
    EXPECT_EQ(memory.suspect_since, std::nullopt);
    EXPECT_EQ(memory.target.empty(), c.how == Break::kOtherTarget);
  }
}

TEST(Continuity, WhatIsOfTheFutureIsOfNow) {
  Memory memory{.recommendations = {{Ago(60), 3}, {Ago(-7200), 9}},
                .scale_ups = {{Ago(-7200), 4}},
                .scale_downs = {{Ago(-7200), 2}}};
  Mend(testing::MakeHpa(5), memory);
  EXPECT_THAT(memory.recommendations,
              ElementsAre(Recommendation{Ago(60), 3}, Recommendation{kNow, 9}));
  EXPECT_THAT(memory.scale_ups, ElementsAre(ScaleEvent{kNow, 4}));
  EXPECT_THAT(memory.scale_downs, ElementsAre(ScaleEvent{kNow, 2}));
}

TEST(Continuity, ThePresentCountIsRecommendedWhereWhatHappenedIsUnknown) {
  const auto seeds = [](auto lose) {
    Snapshot snapshot = testing::MakeHpa(5);
    lose(snapshot);
    Memory memory{.recommendations = {{Ago(60), 3}}};
    Mend(snapshot, memory);
    return memory.recommendations.back() == Recommendation{kNow, 5};
  };
  EXPECT_TRUE(seeds([](Snapshot& s) { s.interrupted = true; }));
  EXPECT_TRUE(seeds([](Snapshot& s) { s.clock_jumped = true; }));
  EXPECT_TRUE(seeds([](Snapshot& s) { s.last_evaluation = Ago(-7200); }));
  EXPECT_TRUE(seeds([](Snapshot& s) {
    s.autoscaler.status.conditions = {{api::kHeld, "True", api::kModeDisabled, "", {}}};
  }));
  EXPECT_FALSE(seeds([](Snapshot& s) { s.last_evaluation = Ago(60); }));
  EXPECT_FALSE(seeds([](Snapshot& s) {
    s.interrupted = true;
    s.scale = Failure{};
  }));
}

TEST(Continuity, AnEvaluationBeginsWithTheMemoryOfItsTarget) {
  const auto begin = [](Snapshot snapshot) {
    snapshot.interrupted = true;
    Memory memory{.recommendations = {{Ago(60), 3}}, .target = "d1"};
    Begin(snapshot, memory);
    return memory;
  };
  Snapshot hpa = testing::MakeHpa(5);
  Snapshot policy = testing::MakePolicy(5);
  std::get<api::Scale>(hpa.scale).metadata.uid = "d2";
  std::get<api::Scale>(policy.scale).metadata.uid = "d2";
  EXPECT_EQ(begin(hpa).target, "d2");
  EXPECT_EQ(begin(policy).target, "d2");
  EXPECT_EQ(begin(hpa).recommendations.size(), 2U) << "it is mended already";
  EXPECT_EQ(begin(policy).recommendations.size(), 1U) << "a pass mends it";
  policy.scale = Failure{};
  EXPECT_EQ(begin(policy).target, "d1") << "which target there is, is not known";
}

TEST(Continuity, TheFirstValueAfterAWindowWithoutOneScalesNothingIn) {
  const struct {
    const char* about;
    std::int64_t recommended;               // seconds ago, the last time
    std::optional<std::int64_t> evaluated;  // the same
    bool has_value;
    bool ends;
  } kCases[] = {{"evaluations without a value", 301, 15, true, true},
                {"for less than a window", 300, 15, true, false},
                {"no evaluations", 301, 301, true, false},
                {"nobody knows", 301, {}, true, false},
                {"still none", 301, 15, false, false}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.about);
    Snapshot snapshot = testing::MakePolicy(4);
    snapshot.memory->recommendations = {{Ago(c.recommended), 1}};
    snapshot.metrics = {Failure{"down"}};
    if (c.has_value) {
      snapshot.metrics = {testing::QueueOf("20")};
    }
    if (c.evaluated) {
      snapshot.last_evaluation = Ago(*c.evaluated);
    }
    EXPECT_EQ(EndsSilence(snapshot), c.ends);
  }
}

}  // namespace
}  // namespace ballast::engine
