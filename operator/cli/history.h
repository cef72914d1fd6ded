// `ballast history [NAMESPACE/NAME]`: what was decided, when, and what became of it.
//
// Thread-safety: used by main's thread only.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddHistory(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
