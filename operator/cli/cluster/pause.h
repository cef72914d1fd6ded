// The annotations that `ballast pause` sets where the cluster has no overrides, and that `ballast
// resume` removes (pause_annotation.h).
#pragma once

#include <string>

#include "api/autoscaling/override.h"

namespace ballast::cli {

// Merge patches. Of a hold; `by`: empty if it is not known.
std::string PausePatch(const api::OverrideSpec& hold, const std::string& by);
std::string ResumePatch();

}  // namespace ballast::cli
