#include "operator/engine/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using ::testing::ElementsAre;
using testing::kNow;

const api::Condition kAble{api::kAbleToScale, "True", "ReadyForNewScale", "", {}};
const api::Condition kPausedNow{api::kHeld, "True", api::kPaused, "", {}};

// "Ready False InvalidSpec", of each.
std::vector<std::string> Print(const std::vector<api::Condition>& conditions) {
  std::vector<std::string> printed;
  for (const api::Condition& one : conditions) {
    printed.push_back(one.type + " " + one.status + " " + one.reason);
  }
  return printed;
}

TEST(Refusal, TheStatusSaysWhyAPolicyIsNotEvaluated) {
  const api::AutoscalerStatus last{
      .conditions = {kAble, kPausedNow, {api::kReady, "True", "Evaluated", "", {}}}};
  api::Autoscaler policy{.kind = api::kPolicyKind};
  policy.metadata.generation = 7;
  const auto conflicted =
      ConcludeRefusal(policy, {api::kConflicted, "TwoPolicies", "api scales it"}, last, kNow);
  EXPECT_EQ(conflicted.observed_generation, 7);
  EXPECT_THAT(Print(conflicted.conditions),
              ElementsAre("AbleToScale True ReadyForNewScale", "Ready False Conflicted",
                          "Conflicted True TwoPolicies"));
  EXPECT_EQ(conflicted.conditions.back().message, "api scales it");
  EXPECT_EQ(conflicted.conditions.back().last_transition_time, kNow);
  const auto invalid =
      ConcludeRefusal(policy, {"", api::kInvalidSpec, "spec.maxReplicas: no"}, conflicted, kNow);
  EXPECT_THAT(Print(invalid.conditions),
              ElementsAre("AbleToScale True ReadyForNewScale", "Ready False InvalidSpec"));
}

TEST(Refusal, AnHpaKeepsWhatItsControllerSays) {
  api::Autoscaler hpa;
  hpa.status.conditions = {kAble, kPausedNow};
  hpa.status.conditions = ConcludeUnmanaged(hpa, "HasOwner", "it belongs to somebody", kNow);
  EXPECT_THAT(Print(hpa.status.conditions), ElementsAre("AbleToScale True ReadyForNewScale",
                                                        "ballast.dev/Managed False HasOwner"));
  hpa.status.conditions = ConcludeUnmanaged(hpa, "", "", kNow);
  EXPECT_THAT(Print(hpa.status.conditions), ElementsAre("AbleToScale True ReadyForNewScale"));
}

}  // namespace
}  // namespace ballast::engine
