// In the place of operator/cli/unknown_commit.cc.
#include "commit.h"  // generated: cmake/Commit.cmake

#include "operator/cli/commit.h"

namespace ballast::cli {

const char* Commit() { return BALLAST_COMMIT; }

}  // namespace ballast::cli
