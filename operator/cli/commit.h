// The commit that this program was built from.
//
// Thread-safety: any thread.
#pragma once

namespace ballast::cli {

// It ends in "-dirty" where the sources differed from it, and is "unknown" where they were no
// checkout. `ballast` alone knows it (operator/commit.cc), so that a test has the same bytes at
// each commit that changes nothing of what it tests.
const char* Commit();

}  // namespace ballast::cli
