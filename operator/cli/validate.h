// `ballast validate [FILE...]`: would these autoscalers be accepted, and if not, why?
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddValidate(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
