// Test support: runs a subcommand in this process with its input given and its output captured.
//
// Thread-safety: one thread at a time.
// Errors: an invalid command line fails the test.
#pragma once

#include <string>
#include <vector>

#include "operator/cli/command.h"

namespace ballast::cli::testing {

// A subcommand's output and exit status.
struct Answer {
  ExitStatus status = ExitStatus::kDone;
  std::string out;
  std::string error;
};

// Runs the subcommand that `add` adds; `arguments` follow its name, `input` is its standard input.
using AddCommand = void (*)(flags::Command&, ExitStatus&);
Answer Run(AddCommand add, std::vector<std::string> arguments, const std::string& input = "");

// The lines of an output, without their ends.
std::vector<std::string> LinesOf(const std::string& text);

}  // namespace ballast::cli::testing
