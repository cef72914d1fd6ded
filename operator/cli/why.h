// `ballast why NAMESPACE/NAME [--at TIME]`: why it had as many replicas as it had.
//
// Thread-safety: used by main's thread only.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddWhy(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
