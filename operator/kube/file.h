// Reads whole files.
//
// Thread-safety: any thread.
#pragma once

#include <string>

#include "api/result.h"

namespace ballast::kube {

// kNotFound, kForbidden, kUnavailable name the file.
Result<std::string> ReadFile(const std::string& path);

}  // namespace ballast::kube
