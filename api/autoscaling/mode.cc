#include "api/autoscaling/mode.h"

#include <algorithm>

namespace ballast::api {

const ServingMode& ModeOf(std::string_view text) {
  if (text.empty()) {
    return kServingModes.front();
  }
  const auto found = std::ranges::find(kServingModes, text, &ServingMode::name);
  return found == kServingModes.end() ? kServingModes.back() : *found;
}

}  // namespace ballast::api
