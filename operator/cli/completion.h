// What may come next on a command line, for the completion of shells.
//
// Errors: none; what makes no sense has no candidates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator/cli/command.h"

namespace ballast::cli {

struct Candidate {
  std::string text;
  std::string help;
};

// What the program does not know by itself.
enum class Wanted { kNothing, kAutoscaler, kOverride, kNamespace, kFile };

struct Completion {
  std::vector<Candidate> candidates;  // that begin with the word
  Wanted wanted = Wanted::kNothing;
  std::string word;                         // the beginning of what is wanted
  std::string prefix;                       // of each candidate: "--namespace="
  const flags::Command* command = nullptr;  // the subcommand that wants it
  std::vector<std::string> arguments;       // what the subcommand has already
};

// `words` are those after the program's name; the last one, which may be empty, is completed.
Completion Complete(const flags::Command& program, const std::vector<std::string>& words);

// The values that the arguments give the option, as in "--store x", "--store=x" or "-n x".
std::vector<std::string> ValuesOf(const flags::Command& command,
                                  const std::vector<std::string>& arguments,
                                  const std::string& option);
// The last of them; empty: there is none.
std::string ValueOf(const flags::Command& command, const std::vector<std::string>& arguments,
                    const std::string& option);

// The script that makes the shell (bash, zsh, fish) ask this program.
std::string_view CompletionScript(std::string_view shell);

}  // namespace ballast::cli
