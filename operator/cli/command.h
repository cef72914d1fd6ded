// What all subcommands of `ballast` share.
//
// Thread-safety: main thread only.
// Errors: none; exit statuses.
#pragma once

#include <string>

#include "operator/flags/command_line.h"

namespace ballast::cli {

enum class ExitStatus {
  kDone = 0,
  kFoundWrong = 1,  // the input was read, and something in it is wrong
  kUsedWrong = 2,   // the command line is wrong, or names a file that cannot be read
};

// Prints to standard error why the subcommand cannot run; returns kUsedWrong.
ExitStatus Refuse(const std::string& subcommand, const std::string& why);

}  // namespace ballast::cli
