// spec.mode of a policy: whether it acts, only says what it would do, or rests.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include <array>
#include <string_view>

#include "api/autoscaling/types.h"

namespace ballast::api {

enum class Mode { kActive, kDryRun, kDisabled };

// As spec.mode has them, in the same order.
inline constexpr std::array<std::string_view, 3> kModeNames = {"Active", "DryRun", "Disabled"};

// Of the text that stands in spec.mode. Empty, as in every HorizontalPodAutoscaler, is Active; what
// is no mode, which validation refuses, is taken for Disabled: the one that harms least.
Mode ModeOf(std::string_view text);
inline Mode ModeOf(const AutoscalerSpec& spec) { return ModeOf(spec.mode); }

}  // namespace ballast::api
