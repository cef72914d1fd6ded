// Reads whole files.
//
// Thread-safety: any thread.
// Errors: kNotFound, kForbidden or kUnavailable, each naming the file.
#pragma once

#include <string>

#include "api/base/result.h"

namespace ballast::os {

// The file's content. kNotFound: no such file; kForbidden: no permission; kUnavailable: any other
// problem, also an empty file.
Result<std::string> ReadFile(const std::string& path);

}  // namespace ballast::os
