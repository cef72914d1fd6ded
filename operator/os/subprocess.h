// Runs a program and returns what it prints.
//
// The program gets our environment, no input unless it is interactive, none of our open files, and
// no blocked or ignored signal.
//
// Thread-safety: any thread.
// Errors: kNotFound, kTimeout, kInvalid or kUnavailable; see below.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"

namespace ballast::os {

struct Program {
  std::string command;  // a path, or a name to look for in $PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to ours; overrides it
  // It may ask the user: it gets our standard input and standard error, and is in our process
  // group, so that a terminal's Ctrl-C ends both.
  bool interactive = false;
};

// How a program ended.
struct Ended {
  int status = 0;  // its exit status, 0 to 255
  std::string output;
  // What it wrote to standard error, at most its first 64 KiB; of an interactive one nothing.
  std::string errors;
};

// Runs it with at most `max_output` bytes of standard output. kNotFound: there is no such program.
// kTimeout: it had not ended by the deadline and was killed with its process group. kInvalid: it
// printed more and was killed likewise. kUnavailable: it could not be run, or a signal ended it.
Result<Ended> RunToEnd(const Program& program, std::chrono::milliseconds deadline,
                       std::size_t max_output);

// The program's standard output, of a megabyte at most; its standard error is ours. The errors of
// RunToEnd, and kUnavailable: it ended with a status other than 0.
Result<std::string> RunProgram(const Program& program, std::chrono::milliseconds deadline);

}  // namespace ballast::os
