// The CustomResourceDefinition of AutoScalePolicy, made from schema.h.
//
// Thread-safety: pure function.
#pragma once

#include <string>

namespace ballast::api {

// As YAML, the same bytes every time.
std::string PolicyCrd();

}  // namespace ballast::api
