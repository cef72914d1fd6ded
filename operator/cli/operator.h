// `ballast operator`: the controller itself, until it is told to stop.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddOperator(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
