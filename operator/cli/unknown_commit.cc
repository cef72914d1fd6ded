// For every program but `ballast`.
#include "operator/cli/commit.h"

namespace ballast::cli {

const char* Commit() { return "unknown"; }

}  // namespace ballast::cli
