// `ballast default [FILE...]`: the objects with every default filled in, as the API server stores
// them.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddDefault(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
