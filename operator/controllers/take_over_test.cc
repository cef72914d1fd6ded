#include "operator/controllers/take_over.h"

#include "api/autoscaling/condition_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/autoscaling/take_over_annotation.h"
#include "operator/engine/conditions.h"

namespace ballast::controllers {
namespace {

using testing::ElementsAre;

engine::Snapshot Snapshot() {
  engine::Snapshot snapshot;
  snapshot.now = Time(1'000'000'000, 0);
  snapshot.autoscaler.kind = api::kPolicyKind;
  snapshot.autoscaler.metadata.namespace_ = "shop";
  snapshot.autoscaler.metadata.name = "shop-web";
  snapshot.autoscaler.metadata.annotations[api::kTakesOver] = "HorizontalPodAutoscaler/web";
  snapshot.autoscaler.spec.scale_target_ref = {"apps/v1", "Deployment", "web"};
  snapshot.scale = api::Scale{.spec_replicas = 7};
  return snapshot;
}

TEST(TakeOver, BeginsOnceTheRivalIsGone) {
  const struct {
    const char* about;
    std::vector<std::string> hpas;
    void (*change)(engine::Snapshot&);
    bool begins;
  } kCases[] = {
      {"gone", {}, [](engine::Snapshot&) {}, true},
      {"there", {"web"}, [](engine::Snapshot&) {}, false},
      {"another is there", {"db"}, [](engine::Snapshot&) {}, true},
      {"no annotation",
       {},
       [](engine::Snapshot& snapshot) { snapshot.autoscaler.metadata.annotations.clear(); },
       false},
      {"only looks on",
       {},
       [](engine::Snapshot& snapshot) { snapshot.autoscaler.spec.mode = "DryRun"; },
       false},
      {"the scale cannot be read",
       {},
       [](engine::Snapshot& snapshot) { snapshot.scale = engine::Failure{"no"}; },
       false},
      {"has taken over",
       {},
       [](engine::Snapshot& snapshot) {
         snapshot.autoscaler.status.conditions.push_back(
             {.type = api::kTookOver, .status = "True"});
       },
       false},
  };
  for (const auto& c : kCases) {
    engine::Snapshot snapshot = Snapshot();
    c.change(snapshot);
    const auto from = BeginTakeOver(c.hpas, snapshot);
    EXPECT_EQ(from.has_value(), c.begins) << c.about;
    EXPECT_EQ(snapshot.memory.has_value(), c.begins) << c.about;
  }
}

TEST(TakeOver, GoesOnFromThePresentReplicasAndSaysSo) {
  engine::Snapshot snapshot = Snapshot();
  snapshot.memory.emplace();
  snapshot.memory->recommendations = {{Time(1, 0), 3}};  // from before the rival existed
  const auto from = BeginTakeOver({}, snapshot);
  ASSERT_TRUE(from);
  EXPECT_EQ(*from, "web");
  EXPECT_THAT(
      snapshot.memory->recommendations,
      ElementsAre(engine::Recommendation{Time(1, 0), 3}, engine::Recommendation{snapshot.now, 7}));
  engine::Conclusion conclusion;
  const store::Edit edit = FinishTakeOver(*from, snapshot, conclusion);
  EXPECT_EQ(edit.field, store::kControllerField);
  EXPECT_EQ(edit.before, "HorizontalPodAutoscaler/web");
  EXPECT_EQ(edit.after, "AutoScalePolicy/shop-web");
  ASSERT_EQ(conclusion.events.size(), 1U);
  EXPECT_EQ(conclusion.events[0].reason, "TookOver");
  EXPECT_EQ(conclusion.events[0].message,
            "HorizontalPodAutoscaler shop/web does not scale Deployment web: this policy does now, "
            "from its present 7 replicas");
  EXPECT_TRUE(engine::IsTrue(conclusion.status.conditions, api::kTookOver));
  snapshot.autoscaler.status = conclusion.status;
  EXPECT_FALSE(BeginTakeOver({}, snapshot)) << "once";
}

}  // namespace
}  // namespace ballast::controllers
