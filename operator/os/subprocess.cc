#include "operator/os/subprocess.h"

#include <utility>

namespace ballast::os {
namespace {

constexpr std::size_t kMaxOutput = 1024 * 1024;

Result<Ended> RunWith(const Program& program, std::chrono::milliseconds deadline,
                      std::size_t max_output, StandardError errors) {
  ASSIGN_OR_RETURN(const auto running, RunningProgram::Start(program, errors));
  const auto end = std::chrono::steady_clock::now() + deadline;
  const auto left = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(end -
                                                                 std::chrono::steady_clock::now());
  };
  std::string output;
  for (bool more = true; more;) {
    ASSIGN_OR_RETURN(more, running->Read(left(), output));
    if (output.size() > max_output) {
      return Error{Code::kInvalid,
                   "prints more than " + std::to_string(max_output / kMaxOutput) + " MiB"};
    }
  }
  ASSIGN_OR_RETURN(Ended ended, running->AwaitEnd(left()));
  ended.output = std::move(output);
  return ended;
}

}  // namespace

Result<Ended> RunToEnd(const Program& program, std::chrono::milliseconds deadline,
                       std::size_t max_output) {
  return RunWith(program, deadline, max_output,
                 program.interactive ? StandardError::kOurs : StandardError::kKept);
}

Result<std::string> RunProgram(const Program& program, std::chrono::milliseconds deadline) {
  ASSIGN_OR_RETURN(Ended ended, RunWith(program, deadline, kMaxOutput, StandardError::kOurs));
  if (ended.status != 0) {
    return Error{Code::kUnavailable, "ended with status " + std::to_string(ended.status)};
  }
  return std::move(ended.output);
}

}  // namespace ballast::os
