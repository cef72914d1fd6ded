#include "operator/hpa/manage_blocker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::hpa {
namespace {

using ::testing::HasSubstr;

// An API server can be newer than this program.
TEST(ManageBlocker, NamesWhatBallastMayNotManage) {
  const struct {
    const char* about;
    std::function<void(api::Autoscaler&)> change;
    const char* reason;  // empty: there is none
    const char* message;
    bool in_status = true;
  } kCases[] = {
      {"nothing", [](auto&) {}, "", ""},
      {"another namespace", [](auto& hpa) { hpa.metadata.namespace_ = "bank"; },
       "NamespaceNotAllowed", "--hpa-takeover-namespace bank", false},
      {"an owner",
       [](auto& hpa) { hpa.metadata.owner_references = {{.kind = "ScaledObject", .name = "q"}}; },
       "HasOwner", "it belongs to ScaledObject q"},
      {"an owner, and the annotation on the HPA itself",
       [](auto& hpa) {
         hpa.metadata.owner_references = {{.kind = "ScaledObject", .name = "q"}};
         hpa.metadata.annotations["ballast.dev/hpa-mode"] = "manage";
       },
       "", ""},
      {"a field", [](auto& hpa) { hpa.unknown_field = "spec.forecast"; }, "NotUnderstood",
       "spec.forecast: this version"},
      {"a type of metrics", [](auto& hpa) { hpa.spec.metrics = {{.type = "Weather"}}; },
       "NotUnderstood", "spec.metrics[0].type"},
      {"a word",
       [](auto& hpa) {
         hpa.spec.behavior.emplace().scale_up.emplace();
         hpa.spec.behavior->scale_up->select_policy = "Median";
       },
       "NotUnderstood", "spec.behavior.scaleUp.selectPolicy"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.about);
    api::Autoscaler hpa = engine::testing::MakeHpa(2).autoscaler;
    c.change(hpa);
    const auto blocker = ManageBlockerOf(hpa, {{"shop"}});
    EXPECT_EQ(blocker ? blocker->reason : "", c.reason);
    EXPECT_THAT(blocker ? blocker->message : "", HasSubstr(c.message));
    EXPECT_EQ(blocker ? blocker->in_status : true, c.in_status);
  }
}

}  // namespace
}  // namespace ballast::hpa
