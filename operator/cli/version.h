// What this program is: its version, and the commit that it was built from.
//
// Thread-safety: any thread.
#pragma once

#include <string>

namespace ballast::cli {

// "ballast VERSION (COMMIT)"; the commit is "unknown" where the sources were no checkout, and ends
// in "-dirty" where they differed from it.
std::string VersionText();

}  // namespace ballast::cli
