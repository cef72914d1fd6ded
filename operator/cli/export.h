// `ballast export`: what the ledger has of each decision, one JSON object a line.
//
// Thread-safety: used by main's thread only.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddExport(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
