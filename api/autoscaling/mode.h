// spec.mode of a policy: it acts, only reports what it would do, or does nothing.
//
// Thread-safety: pure functions.
// Errors: none.
#pragma once

#include <array>
#include <string_view>

#include "api/autoscaling/types.h"

namespace ballast::api {

enum class Mode { kActive, kDryRun, kDisabled };

// The values of spec.mode, in the order of Mode.
inline constexpr std::array<std::string_view, 3> kModeNames = {"Active", "DryRun", "Disabled"};

// The mode for the text of spec.mode. Empty, as in every HorizontalPodAutoscaler, is Active. Text
// that is no mode, which validation rejects, counts as Disabled, the least harmful one.
Mode ModeOf(std::string_view text);
inline Mode ModeOf(const AutoscalerSpec& spec) { return ModeOf(spec.mode); }

}  // namespace ballast::api
