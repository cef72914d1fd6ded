// Numbers as Kubernetes' programs print them in JSON: kubectl sends 2.0 as 2, and the API server
// then takes it for an integer.
#pragma once

#include <string>

#include "api/json/json.h"

namespace ballast::json {

// As Go's encoding/json prints a float64, which must be finite.
std::string PrintGoFloat(double value);

// The value as kubectl sends it: integers of 64 bits as they are, other numbers as PrintGoFloat.
std::string PrintAsKubectl(const Cursor& value);

}  // namespace ballast::json
