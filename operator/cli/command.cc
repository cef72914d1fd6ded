#include "operator/cli/command.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <utility>

#include "api/base/near_names.h"
#include "operator/cli/terminal/one_line.h"

namespace ballast::cli {

ExitStatus Refuse(const std::string& subcommand, const std::string& why) {
  std::cerr << "ballast " << subcommand << ": " << PrintableLines(why) << "\n";
  return ExitStatus::kUsedWrong;
}

ExitStatus Fail(const std::string& subcommand, const std::string& why) {
  (void)Refuse(subcommand, why);
  return ExitStatus::kFoundWrong;
}

std::vector<std::string> AskingForHelp(std::vector<std::string> words) {
  if (!words.empty() && words.front() != "help") {
    return words;
  }
  if (!words.empty()) {
    words.erase(words.begin());
  }
  words.insert(words.begin() + std::min<std::ptrdiff_t>(1, std::ssize(words)), "--help");
  return words;
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
    if (!subcommand->hidden()) {
      known.push_back(subcommand->name());
    }
  }
  return Error{Code::kInvalid, "ballast has no subcommand \"" + words.front() + "\"" +
                                   DidYouMean(words.front(), std::move(known)) + flags::kSeeHelp};
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
