// Reads whole files.
//
// Thread-safety: any thread.
#pragma once

#include <string>

#include "api/base/result.h"

namespace ballast::os {

// kNotFound, kForbidden, kUnavailable name the file.
Result<std::string> ReadFile(const std::string& path);

}  // namespace ballast::os
