// Amounts by the name of a resource ("cpu"), as requests and samples have them.
#pragma once

#include <map>
#include <string>

#include "api/kubernetes/quantity.h"

namespace ballast::api {

using ResourceList = std::map<std::string, Quantity>;

}  // namespace ballast::api
