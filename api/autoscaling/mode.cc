#include "api/autoscaling/mode.h"

#include <algorithm>

#include "api/autoscaling/annotation.h"

namespace ballast::api {

std::vector<std::string> PolicyModeNames() {
  std::vector<std::string> names;
  for (const ServingMode& mode : kPolicyModes) {
    names.emplace_back(mode.name);
  }
  return names;
}

const ServingMode& ModeOf(std::string_view text) {
  if (text.empty()) {
    return kPolicyModes.front();
  }
  const auto found = std::ranges::find(kPolicyModes, text, &ServingMode::name);
  return found == kPolicyModes.end() ? kPolicyModes.back() : *found;
}

bool Scales(const Autoscaler& autoscaler) {
  return !autoscaler.is_policy() || ModeOf(autoscaler.spec).writes_scale;
}

const ServingMode& HpaModeOf(const Autoscaler& hpa, const ServingMode& installation) {
  const std::string* text = FindAnnotation(hpa, kHpaMode);
  if (text == nullptr) {
    return installation;
  }
  const auto found = std::ranges::find(kHpaModes, *text, &ServingMode::name);
  return found == kHpaModes.end() ? kHpaModes.front() : *found;
}

bool HpaModeIsMalformed(const Autoscaler& hpa) {
  const std::string* text = FindAnnotation(hpa, kHpaMode);
  return text != nullptr &&
         std::ranges::find(kHpaModes, *text, &ServingMode::name) == kHpaModes.end();
}

}  // namespace ballast::api
