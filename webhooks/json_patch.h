// A JSON Patch (RFC 6902) that fills in defaults.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/defaults.h"

namespace ballast::webhooks {

// Empty if nothing is missing.
std::string PatchOf(const std::vector<api::MissingDefault>& missing);

}  // namespace ballast::webhooks
