// Runs a program (running_program.h) and returns what it prints.
//
// Thread-safety: any thread.
// Errors: kNotFound, kTimeout, kInvalid or kUnavailable; see below.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "api/base/result.h"
#include "operator/os/running_program.h"

namespace ballast::os {

// Runs it with at most `max_output` bytes of standard output. kNotFound: there is no such program.
// kTimeout: it had not ended by the deadline and was killed with its process group. kInvalid: it
// printed more and was killed likewise. kUnavailable: it could not be run, or a signal ended it.
Result<Ended> RunToEnd(const Program& program, std::chrono::milliseconds deadline,
                       std::size_t max_output);

// The program's standard output, of a megabyte at most; its standard error is ours. The errors of
// RunToEnd, and kUnavailable: it ended with a status other than 0.
Result<std::string> RunProgram(const Program& program, std::chrono::milliseconds deadline);

}  // namespace ballast::os
