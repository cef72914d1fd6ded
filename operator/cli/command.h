// What every subcommand of `ballast` has in common.
//
// Thread-safety: used by main's thread only.
#pragma once

#include <string>

// CLI11's: included only by what declares options or runs the program, since it takes seconds to
// compile.
namespace CLI {
class App;
}

namespace ballast::cli {

enum class ExitStatus {
  kDone = 0,
  kFoundWrong = 1,  // the input was read and something in it is wrong
  kUsedWrong = 2,   // the command line is wrong, or names what cannot be read
};

// Says on standard error why the subcommand of that name cannot do what it was asked to;
// kUsedWrong.
ExitStatus Refuse(const std::string& subcommand, const std::string& why);

}  // namespace ballast::cli
