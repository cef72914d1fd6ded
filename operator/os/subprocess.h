// Runs a program and returns what it prints.
//
// The program gets our environment and standard error, no input, none of our open files, and no
// blocked or ignored signal.
//
// Thread-safety: any thread.
// Errors: kNotFound, kTimeout, kInvalid or kUnavailable; see RunProgram.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"

namespace ballast::os {

struct Program {
  std::string command;  // a path, or a name to look for in $PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to ours; overrides it
};

// The program's standard output. kNotFound: there is no such program. kTimeout: it had not ended by
// the deadline and was killed with its process group. kInvalid: it printed more than a megabyte and
// was killed likewise. kUnavailable: it could not be run, was ended by a signal, or ended with a
// status other than 0.
Result<std::string> RunProgram(const Program& program, std::chrono::milliseconds deadline);

}  // namespace ballast::os
