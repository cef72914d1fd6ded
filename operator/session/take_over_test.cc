#include "operator/session/take_over.h"

#include <gtest/gtest.h>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/take_over_annotation.h"

namespace ballast::session {
namespace {

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
    EXPECT_EQ(TakesOverNow(c.hpas, snapshot).value_or(""), c.begins ? "web" : "") << c.about;
  }
}

TEST(TakeOver, IsRecordedAsAnEditOfTheController) {
  engine::Snapshot snapshot = Snapshot();
  snapshot.takes_over_from = "web";
  const store::Edit edit = TakeOverOf(snapshot);
  EXPECT_EQ(edit.field, store::kControllerField);
  EXPECT_EQ(edit.before, "HorizontalPodAutoscaler/web");
  EXPECT_EQ(edit.after, "AutoScalePolicy/shop-web");
}

}  // namespace
}  // namespace ballast::session
