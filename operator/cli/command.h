// What all subcommands of `ballast` share.
//
// Thread-safety: main thread only.
// Errors: none; exit statuses.
#pragma once

#include <string>

// CLI11's. Its header is included only where options are declared or the program is run, because it
// takes seconds to compile.
namespace CLI {
class App;
}

namespace ballast::cli {

enum class ExitStatus {
  kDone = 0,
  kFoundWrong = 1,  // the input was read, and something in it is wrong
  kUsedWrong = 2,   // the command line is wrong, or names a file that cannot be read
};

// Prints to standard error why the subcommand cannot run; returns kUsedWrong.
ExitStatus Refuse(const std::string& subcommand, const std::string& why);

}  // namespace ballast::cli
