// `ballast backup FILE`: a copy of the ledger, made while the operator writes it.
//
// Thread-safety: used by main's thread only.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddBackup(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
