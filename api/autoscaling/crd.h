// The CustomResourceDefinitions of AutoScalePolicy and AutoScaleOverride, generated from their
// schemas.
#pragma once

#include <string>

namespace ballast::api {

// Return YAML, the same bytes every time.
std::string PolicyCrd();
std::string OverrideCrd();

}  // namespace ballast::api
