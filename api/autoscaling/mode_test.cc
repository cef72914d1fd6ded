#include "api/autoscaling/mode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ballast::api {
namespace {

using Kind = ServingMode::Kind;

struct HpaCase {
  const char* name;
  const char* annotation;  // null: none
  Kind installation;
  Kind mode;
  bool malformed;
};

class HpaModes : public ::testing::TestWithParam<HpaCase> {};

TEST_P(HpaModes, AreTheAnnotationsElseTheInstallations) {
  const HpaCase& expected = GetParam();
  Autoscaler hpa{.kind = kHpaKind};
  if (expected.annotation != nullptr) {
    hpa.metadata.annotations[kHpaMode] = expected.annotation;
  }
  const ServingMode& installation =
      *std::ranges::find(kHpaModes, expected.installation, &ServingMode::kind);
  EXPECT_EQ(HpaModeOf(hpa, installation).kind, expected.mode);
  EXPECT_EQ(HpaModeIsMalformed(hpa), expected.malformed);
}

INSTANTIATE_TEST_SUITE_P(
    All, HpaModes,
    ::testing::Values(HpaCase{"NoAnnotation", nullptr, Kind::kObserve, Kind::kObserve, false},
                      HpaCase{"NoAnnotationIgnored", nullptr, Kind::kIgnore, Kind::kIgnore, false},
                      HpaCase{"ObservedAllTheSame", "observe", Kind::kIgnore, Kind::kObserve,
                              false},
                      HpaCase{"IgnoredAllTheSame", "ignore", Kind::kObserve, Kind::kIgnore, false},
                      HpaCase{"InTheShadowOnly", "shadow", Kind::kObserve, Kind::kShadow, false},
                      HpaCase{"WrongIsObserved", "Ignore", Kind::kIgnore, Kind::kObserve, true},
                      HpaCase{"EmptyIsWrong", "", Kind::kIgnore, Kind::kObserve, true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PolicyModes, TextThatIsNoModeCountsAsDisabled) {
  EXPECT_EQ(ModeOf("").kind, Kind::kActive);
  EXPECT_EQ(ModeOf("DryRun").kind, Kind::kDryRun);
  EXPECT_EQ(ModeOf("observe").kind, Kind::kDisabled);
}

}  // namespace
}  // namespace ballast::api
