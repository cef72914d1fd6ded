// What this program is.
//
// Thread-safety: any thread.
#pragma once

#include <string>

namespace ballast::cli {

// "ballast VERSION (COMMIT)".
std::string VersionText();

}  // namespace ballast::cli
