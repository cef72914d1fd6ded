#include "api/autoscaling/take_over_annotation.h"

#include "api/autoscaling/condition_types.h"

#include <gtest/gtest.h>

namespace ballast::api {
namespace {

TEST(TakesOverFrom, IsWhatTheAnnotationNamesUntilItHappened) {
  const struct {
    const char* annotation;  // null: none
    const char* took_over;   // the condition's status; null: none
    std::optional<std::string> from;
    bool malformed;
  } kCases[] = {
      {nullptr, nullptr, std::nullopt, false},
      {"HorizontalPodAutoscaler/web", nullptr, "web", false},
      {"HorizontalPodAutoscaler/web", "False", "web", false},
      {"HorizontalPodAutoscaler/web", "True", std::nullopt, false},
      {"HorizontalPodAutoscaler/", nullptr, std::nullopt, true},
      {"HorizontalPodAutoscaler/Not a name", nullptr, std::nullopt, true},
      {"HorizontalPodAutoscaler/shop/web", nullptr, std::nullopt, true},
      {"AutoScalePolicy/web", nullptr, std::nullopt, true},
      {"web", nullptr, std::nullopt, true},
  };
  for (const auto& c : kCases) {
    Autoscaler policy{.kind = kPolicyKind};
    if (c.annotation != nullptr) {
      policy.metadata.annotations[kTakesOver] = c.annotation;
    }
    if (c.took_over != nullptr) {
      policy.status.conditions.push_back({.type = kTookOver, .status = c.took_over});
    }
    const std::string about = c.annotation == nullptr ? "none" : c.annotation;
    EXPECT_EQ(TakesOverFrom(policy), c.from) << about;
    EXPECT_EQ(TakesOverIsMalformed(policy), c.malformed) << about;
    policy.kind = kHpaKind;
    EXPECT_EQ(TakesOverFrom(policy), std::nullopt) << about << " on an HPA";
  }
}

}  // namespace
}  // namespace ballast::api
