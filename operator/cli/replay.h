// `ballast replay`: the recorded inputs once more, through the present engine or a changed policy.
//
// Thread-safety: used by main's thread only.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

void AddReplay(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
