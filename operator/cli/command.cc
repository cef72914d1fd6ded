#include "operator/cli/command.h"

#include <iostream>

namespace ballast::cli {

ExitStatus Refuse(const std::string& subcommand, const std::string& why) {
  std::cerr << "ballast " << subcommand << ": " << why << "\n";
  return ExitStatus::kUsedWrong;
}

}  // namespace ballast::cli
