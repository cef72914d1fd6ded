// The modes in which an autoscaler is served: what each of them does, in one table.
//
// Thread-safety: pure functions.
// Errors: none.
#pragma once

#include <array>
#include <string_view>

#include "api/autoscaling/types.h"

namespace ballast::api {

struct ServingMode {
  enum class Kind { kActive, kDryRun, kDisabled };
  Kind kind;
  std::string_view name;  // in spec.mode
  bool evaluates;         // asks for metrics, and decides
  bool writes_scale;
};

inline constexpr std::array<ServingMode, 3> kServingModes = {{
    {ServingMode::Kind::kActive, "Active", true, true},
    {ServingMode::Kind::kDryRun, "DryRun", true, false},
    {ServingMode::Kind::kDisabled, "Disabled", false, false},
}};

// The mode for the text of spec.mode. Empty, as in every HorizontalPodAutoscaler, is Active. Text
// that is no mode, which validation rejects, counts as Disabled, the least harmful one.
const ServingMode& ModeOf(std::string_view text);
inline const ServingMode& ModeOf(const AutoscalerSpec& spec) { return ModeOf(spec.mode); }

}  // namespace ballast::api
