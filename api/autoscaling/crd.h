// The CustomResourceDefinition of AutoScalePolicy, generated from schema.h.
#pragma once

#include <string>

namespace ballast::api {

// Returns YAML, the same bytes every time.
std::string PolicyCrd();

}  // namespace ballast::api
