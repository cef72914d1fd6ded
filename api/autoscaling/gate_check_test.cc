#include "api/autoscaling/gate_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/json/json.h"

namespace ballast::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPolicyOf = R"("ballast.dev/v1alpha1","kind":"AutoScalePolicy")";
constexpr const char* kHpaOf = R"("autoscaling/v2","kind":"HorizontalPodAutoscaler")";
constexpr const char* kHpaV1Of = R"("autoscaling/v1","kind":"HorizontalPodAutoscaler")";

constexpr const char* kZero =
    R"(,"minReplicas":0,"metrics":[{"type":"External","external":{"metric":{"name":"queue"},)"
    R"("target":{"type":"Value","value":"1"}}}])";
constexpr const char* kTolerances =
    R"(,"behavior":{"scaleUp":{"tolerance":"0.2"},"scaleDown":{"tolerance":"0"}})";
constexpr const char* kNoTolerance = R"(,"behavior":{"scaleUp":{"stabilizationWindowSeconds":1}})";

// Checks an object with `more` in its spec. `of`: its version and kind.
ObjectCheck Examine(const std::string& of, const std::string& more, const GateOverrides& gates) {
  const auto document = json::Parse(
      R"({"apiVersion":)" + of + R"(,"metadata":{"name":"web"},"spec":{"maxReplicas":3,)" +
      R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"})" + more +
      "}}");
  json::Decoder decoder(document.value());
  ObjectCheck check = CheckObject(decoder.root());
  CheckGates(gates, check);
  return check;
}

TEST(CheckGates, AGateThatIsNotSetIsAWarning) {
  EXPECT_THAT(Examine(kHpaOf, kZero, {}).warnings,
              ElementsAre("spec.minReplicas: 0 is refused where HPAScaleToZero is off (on since "
                          "1.37); see --feature-gates"));
  const ObjectCheck check = Examine(kHpaOf, kTolerances, {});
  EXPECT_TRUE(check.valid());
  EXPECT_THAT(check.warnings,
              ElementsAre("spec.behavior.scaleUp.tolerance: dropped where HPAConfigurableTolerance "
                          "is off (on since 1.35); see --feature-gates",
                          "spec.behavior.scaleDown.tolerance: dropped where "
                          "HPAConfigurableTolerance is off (on since 1.35); see --feature-gates"));
  for (const std::string& warning : check.warnings) {
    EXPECT_LE(warning.size(), 120U);
  }
}

TEST(CheckGates, WhatNeedsNoGateIsNotMentioned) {
  const GateOverrides off = {.scale_to_zero = false, .configurable_tolerance = false};
  for (const GateOverrides& gates : {GateOverrides(), off}) {
    for (const char* of : {kPolicyOf, kHpaOf, kHpaV1Of}) {
      EXPECT_THAT(Examine(of, "", gates).warnings, IsEmpty()) << of;
      EXPECT_TRUE(Examine(of, "", gates).valid()) << of;
    }
    EXPECT_THAT(Examine(kHpaOf, kNoTolerance, gates).warnings, IsEmpty());
    for (const char* more : {kZero, kTolerances}) {
      EXPECT_THAT(Examine(kPolicyOf, more, gates).warnings, IsEmpty()) << more;
      EXPECT_TRUE(Examine(kPolicyOf, more, gates).valid()) << more;
    }
  }
}

TEST(CheckGates, AGateThatIsOnAllowsEverything) {
  for (const char* more : {kZero, kTolerances}) {
    const ObjectCheck check =
        Examine(kHpaOf, more, {.scale_to_zero = true, .configurable_tolerance = true});
    EXPECT_TRUE(check.valid()) << more;
    EXPECT_THAT(check.warnings, IsEmpty()) << more;
  }
}

TEST(CheckGates, AGateThatIsOffDoesAsTheServer) {
  const ObjectCheck zero = Examine(kHpaOf, kZero, {.scale_to_zero = false});
  ASSERT_EQ(zero.errors.size(), 1U);
  EXPECT_EQ(Print(zero.errors.front()),
            "spec.minReplicas: must be 1 or more, because the feature gate HPAScaleToZero is off");
  EXPECT_THAT(zero.warnings, IsEmpty());

  const ObjectCheck dropped = Examine(kHpaOf, kTolerances, {.configurable_tolerance = false});
  EXPECT_TRUE(dropped.valid());
  EXPECT_THAT(dropped.warnings,
              ElementsAre("spec.behavior.scaleUp.tolerance: dropped, because the feature gate "
                          "HPAConfigurableTolerance is off",
                          "spec.behavior.scaleDown.tolerance: dropped, because the feature gate "
                          "HPAConfigurableTolerance is off"));
}

TEST(CheckGates, WhatCannotBeReadHasNoGates) {
  const ObjectCheck check = Examine(R"("v1","kind":"Service")", kZero, {});
  EXPECT_EQ(check.errors.size(), 1U);
  EXPECT_THAT(check.warnings, IsEmpty());
}

}  // namespace
}  // namespace ballast::api
