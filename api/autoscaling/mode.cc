#include "api/autoscaling/mode.h"

#include <algorithm>
#include <string>

namespace ballast::api {
namespace {

// The annotation's text; null: there is none.
const std::string* HpaModeText(const Autoscaler& hpa) {
  const auto found = hpa.metadata.annotations.find(kHpaMode);
  return found == hpa.metadata.annotations.end() ? nullptr : &found->second;
}

}  // namespace

const ServingMode& ModeOf(std::string_view text) {
  if (text.empty()) {
    return kPolicyModes.front();
  }
  const auto found = std::ranges::find(kPolicyModes, text, &ServingMode::name);
  return found == kPolicyModes.end() ? kPolicyModes.back() : *found;
}

const ServingMode& HpaModeOf(const Autoscaler& hpa, const ServingMode& installation) {
  const std::string* text = HpaModeText(hpa);
  if (text == nullptr) {
    return installation;
  }
  const auto found = std::ranges::find(kHpaModes, *text, &ServingMode::name);
  return found == kHpaModes.end() ? kHpaModes.front() : *found;
}

bool HpaModeIsMalformed(const Autoscaler& hpa) {
  const std::string* text = HpaModeText(hpa);
  return text != nullptr &&
         std::ranges::find(kHpaModes, *text, &ServingMode::name) == kHpaModes.end();
}

}  // namespace ballast::api
