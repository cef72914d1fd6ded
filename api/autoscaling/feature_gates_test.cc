#include "api/autoscaling/feature_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ballast::api {
namespace {

using ::testing::HasSubstr;

// Kubernetes' own defaults.
TEST(FeatureGates, AreOnByDefaultFromSomeVersionOn) {
  const struct {
    int minor;
    bool scale_to_zero;
    bool configurable_tolerance;
  } kCases[] = {
      {29, false, false}, {33, false, false}, {34, false, false}, {35, false, true},
      {36, false, true},  {37, true, true},   {99, true, true},
  };
  for (const auto& c : kCases) {
    const FeatureGates gates = DefaultGates(c.minor);
    EXPECT_EQ(gates.scale_to_zero, c.scale_to_zero) << c.minor;
    EXPECT_EQ(gates.configurable_tolerance, c.configurable_tolerance) << c.minor;
  }
}

TEST(FeatureGates, AreSetAsUpstreamsFlagSetsThem) {
  const struct {
    const char* text;
    std::optional<bool> scale_to_zero;
    std::optional<bool> configurable_tolerance;
  } kCases[] = {
      {"", std::nullopt, std::nullopt},
      {"HPAScaleToZero=true", true, std::nullopt},
      {"HPAConfigurableTolerance=false", std::nullopt, false},
      {"HPAScaleToZero=true,HPAConfigurableTolerance=false", true, false},
      {"HPAConfigurableTolerance=True,HPAScaleToZero=0", false, true},
      {",HPAScaleToZero=true,,", true, std::nullopt},
      {"HPAScaleToZero=true,HPAScaleToZero=false", false, std::nullopt},
  };
  for (const auto& c : kCases) {
    const auto overrides = ParseGateOverrides(c.text);
    ASSERT_TRUE(overrides.ok()) << c.text << ": " << overrides.error().message;
    EXPECT_EQ(overrides->scale_to_zero, c.scale_to_zero) << c.text;
    EXPECT_EQ(overrides->configurable_tolerance, c.configurable_tolerance) << c.text;
  }
}

TEST(FeatureGates, WhatCannotBeMeantIsNamed) {
  const struct {
    const char* text;
    const char* message;
  } kCases[] = {
      {"HPAScaleToOne=true",
       "unknown feature gate \"HPAScaleToOne\"; known are HPAScaleToZero, "
       "HPAConfigurableTolerance"},
      {"HPAScaleToZero=true,AllAlpha=true", "unknown feature gate \"AllAlpha\""},
      {"=true", "unknown feature gate \"\""},
      {"HPAScaleToZero", "HPAScaleToZero must be true or false, is \"\""},
      {"HPAScaleToZero=", "HPAScaleToZero must be true or false, is \"\""},
      {"HPAScaleToZero=yes", "HPAScaleToZero must be true or false, is \"yes\""},
      {"HPAConfigurableTolerance=true=true", "must be true or false, is \"true=true\""},
  };
  for (const auto& c : kCases) {
    const auto overrides = ParseGateOverrides(c.text);
    ASSERT_FALSE(overrides.ok()) << c.text;
    EXPECT_EQ(overrides.error().code, Code::kInvalid) << c.text;
    EXPECT_THAT(overrides.error().message, HasSubstr(c.message)) << c.text;
  }
}

TEST(FeatureGates, OnlyWhatIsSetOverridesADefault) {
  for (const bool by_default : {false, true}) {
    const FeatureGates defaults = {by_default, by_default};
    EXPECT_EQ(Apply({}, defaults).scale_to_zero, by_default);
    EXPECT_EQ(Apply({}, defaults).configurable_tolerance, by_default);
    for (const bool set : {false, true}) {
      const FeatureGates gates = Apply({.scale_to_zero = set}, defaults);
      EXPECT_EQ(gates.scale_to_zero, set);
      EXPECT_EQ(gates.configurable_tolerance, by_default);
    }
  }
}

}  // namespace
}  // namespace ballast::api
