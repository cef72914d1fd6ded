#include "api/autoscaling/mode.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ballast::api {
namespace {

constexpr std::array kModes = {std::pair{Mode::kActive, std::string_view("Active")},
                               std::pair{Mode::kDryRun, std::string_view("DryRun")},
                               std::pair{Mode::kDisabled, std::string_view("Disabled")}};

}  // namespace

std::string_view NameOf(Mode mode) {
  return std::ranges::find(kModes, mode, &decltype(kModes)::value_type::first)->second;
}

Mode ModeOf(std::string_view text) {
  if (text.empty()) {
    return Mode::kActive;
  }
  const auto found = std::ranges::find(kModes, text, &decltype(kModes)::value_type::second);
  return found == kModes.end() ? Mode::kDisabled : found->first;
}

}  // namespace ballast::api
