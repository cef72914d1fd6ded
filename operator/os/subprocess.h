// Runs a program and takes what it prints.
//
// It gets our environment, no input, our standard error, no open file of ours and no blocked
// signal. Thread-safety: any thread.
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
  std::vector<std::pair<std::string, std::string>> env;  // besides ours, and before it
};

// Its standard output, at most a megabyte. kNotFound: there is no such program. kTimeout: it was
// ended at the deadline, with all that it had started. kUnavailable: it ended with another status
// than 0.
Result<std::string> RunProgram(const Program& program, std::chrono::milliseconds deadline);

}  // namespace ballast::os
