// What all subcommands of `ballast` share: exit statuses, and how they refuse and fail.
//
// Thread-safety: main thread only.
// Errors: none; exit statuses.
#pragma once

#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/flags/command_line.h"

namespace ballast::cli {

enum class ExitStatus {
  kDone = 0,
  kFoundWrong = 1,  // the input was read, and something in it is wrong
  kUsedWrong = 2,   // the command line is wrong, or names a file that cannot be read, or the output
                    // could not be written
};

// Prints to standard error why the subcommand cannot run; returns kUsedWrong.
ExitStatus Refuse(const std::string& subcommand, const std::string& why);
// Prints the same way what went wrong; returns kFoundWrong.
ExitStatus Fail(const std::string& subcommand, const std::string& why);

// The words of a command line, with those that ask for help turned into --help: none at all,
// `help`, `help history`.
std::vector<std::string> AskingForHelp(std::vector<std::string> words);

// kInvalid, for standard error: the first word, unless it is an option, is no subcommand.
Status CheckSubcommand(const flags::Command& program, const std::vector<std::string>& words);

// Makes sure that all that was printed is written; else says so and returns kUsedWrong. For the end
// of a command with that status.
ExitStatus FinishOutput(ExitStatus status);

}  // namespace ballast::cli
