#include "operator/controllers/hpa/repair_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::controllers {
namespace {

using engine::Recommendation;
using engine::ScaleEvent;
using ::testing::ElementsAre;

const Time kNow(1'700'000'000, 0);
const Time kBefore = kNow - Duration::Seconds(60);
const Time kAhead = kNow + Duration::Seconds(7200);

engine::Snapshot Remembering() {
  engine::Snapshot hpa;
  hpa.now = kNow;
  hpa.scale = api::Scale{.spec_replicas = 5};
  hpa.memory = engine::Memory{.recommendations = {{kBefore, 3}, {kAhead, 9}},
                              .scale_ups = {{kAhead, 4}},
                              .scale_downs = {{kAhead, 2}}};
  return hpa;
}

TEST(RepairMemoryTest, WhatIsOfTheFutureIsOfNow) {
  engine::Snapshot hpa = Remembering();
  RepairMemory(hpa);
  EXPECT_THAT(hpa.memory->recommendations,
              ElementsAre(Recommendation{kBefore, 3}, Recommendation{kNow, 9}));
  EXPECT_THAT(hpa.memory->scale_ups, ElementsAre(ScaleEvent{kNow, 4}));
  EXPECT_THAT(hpa.memory->scale_downs, ElementsAre(ScaleEvent{kNow, 2}));
}

TEST(RepairMemoryTest, ThePresentCountIsRecommendedAfterAnInterruption) {
  const auto seeds = [](auto lose) {
    engine::Snapshot hpa = Remembering();
    lose(hpa);
    RepairMemory(hpa);
    return hpa.memory->recommendations.back() == Recommendation{kNow, 5};
  };
  EXPECT_TRUE(seeds([](engine::Snapshot& hpa) { hpa.interrupted = true; }));
  EXPECT_TRUE(seeds([](engine::Snapshot& hpa) { hpa.clock_jumped = true; }));
  EXPECT_TRUE(seeds([](engine::Snapshot& hpa) { hpa.last_evaluation = kAhead; }));
  EXPECT_FALSE(seeds([](engine::Snapshot& hpa) { hpa.last_evaluation = kBefore; }));
  EXPECT_FALSE(seeds([](engine::Snapshot& hpa) {
    hpa.interrupted = true;
    hpa.scale = engine::Failure{};
  }));
}

}  // namespace
}  // namespace ballast::controllers
