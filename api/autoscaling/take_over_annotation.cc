#include "api/autoscaling/take_over_annotation.h"

#include <algorithm>
#include <string_view>

#include "api/autoscaling/annotation.h"
#include "api/autoscaling/condition_types.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

// The name after "HorizontalPodAutoscaler/"; nullopt if there is no valid one.
std::optional<std::string> NameIn(std::string_view annotation) {
  const std::string prefix = std::string(kHpaKind) + "/";
  if (!annotation.starts_with(prefix)) {
    return std::nullopt;
  }
  annotation.remove_prefix(prefix.size());
  return CheckDns1123Subdomain(annotation).empty() ? std::optional(std::string(annotation))
                                                   : std::nullopt;
}

}  // namespace

std::optional<std::string> TakesOverFrom(const Autoscaler& policy) {
  const std::string* annotation = FindAnnotation(policy, kTakesOver);
  const bool done = std::ranges::any_of(policy.status.conditions, [](const Condition& condition) {
    return condition.type == kTookOver && condition.status == "True";
  });
  if (done || !policy.is_policy() || annotation == nullptr) {
    return std::nullopt;
  }
  return NameIn(*annotation);
}

bool TakesOverIsMalformed(const Autoscaler& policy) {
  const std::string* annotation = FindAnnotation(policy, kTakesOver);
  return annotation != nullptr && !NameIn(*annotation);
}

}  // namespace ballast::api
