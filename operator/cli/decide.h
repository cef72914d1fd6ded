// `ballast decide [FILE...]`: snapshots in, decisions out, one JSON value a line.
//
// Thread-safety: used by main's thread only.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddDecide(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
