#include "operator/cli/command.h"

#include <cstdio>
#include <iostream>
#include <utility>

#include "operator/cli/near_names.h"

namespace ballast::cli {

ExitStatus Refuse(const std::string& subcommand, const std::string& why) {
  std::cerr << "ballast " << subcommand << ": " << why << "\n";
  return ExitStatus::kUsedWrong;
}

ExitStatus Fail(const std::string& subcommand, const std::string& why) {
  (void)Refuse(subcommand, why);
  return ExitStatus::kFoundWrong;
}

Status CheckSubcommand(const flags::Command& program, const std::vector<std::string>& words) {
  if (words.empty() || words.front().starts_with('-')) {
    return Done{};
  }
  std::vector<std::string> known;
  for (const auto& subcommand : program.subcommands()) {
    if (subcommand->name() == words.front()) {
      return Done{};
    }
    known.push_back(subcommand->name());
  }
  std::string text = "ballast has no subcommand \"" + words.front() + "\"";
  const auto near = NearNames(words.front(), std::move(known));
  for (const std::string& name : near) {
    text += (&name == &near.front() ? "; did you mean " : " or ") + name;
  }
  return Error{Code::kInvalid,
               text + (near.empty() ? "" : "?") + "\nRun with --help for more information.\n"};
}

ExitStatus FinishOutput(ExitStatus status) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  // A command that noticed it by itself has said so.
  if (!written && status != ExitStatus::kUsedWrong) {
    std::cerr << "ballast: standard output could not be written\n";
  }
  return written ? status : ExitStatus::kUsedWrong;
}

}  // namespace ballast::cli
