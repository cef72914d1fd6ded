// `ballast crd`: prints the CustomResourceDefinition of AutoScalePolicy.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddCrd(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
