#include "api/autoscaling/mode.h"

#include <algorithm>

namespace ballast::api {

Mode ModeOf(std::string_view text) {
  if (text.empty()) {
    return Mode::kActive;
  }
  const auto found = std::ranges::find(kModeNames, text);
  return found == kModeNames.end() ? Mode::kDisabled
                                   : static_cast<Mode>(found - kModeNames.begin());
}

}  // namespace ballast::api
