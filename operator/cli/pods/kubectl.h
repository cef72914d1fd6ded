// The caller's `kubectl`, with its kubeconfig and rights.
//
// Thread-safety: any thread.
// Errors: kNotFound: there is no kubectl; kUnavailable: it does not end, or failed, with what it
// says; kInvalid: it printed too much.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/kubectl_flags.h"
#include "operator/os/running_program.h"

namespace ballast::cli {

// As long as it may be silent.
inline constexpr std::chrono::seconds kKubectlTimeout(60);

// Runs it, for a minute at most. Whatever its exit status, that is no error.
Result<os::Ended> RunKubectl(const KubectlFlags& flags, std::vector<std::string> words,
                             bool interactive = false);

// A kubectl with which one talks while it runs, line by line, however long that is.
class RunningKubectl {
 public:
  static Result<RunningKubectl> Start(const KubectlFlags& flags, std::vector<std::string> words);

  // kUnavailable: it does not listen any more.
  Status SendLine(std::string line);
  // The next line; nullopt: none follows. kUnavailable also: there was none for a minute.
  Result<std::optional<std::string>> ReadLine();
  // How it ended, without its output, once nothing is sent any more; to be called once. If it has
  // not by then, it is killed.
  Result<os::Ended> End(std::chrono::seconds timeout = kKubectlTimeout);

 private:
  explicit RunningKubectl(std::unique_ptr<os::RunningProgram> program)
      : program_(std::move(program)) {}
  std::unique_ptr<os::RunningProgram> program_;
};

// What it prints if it succeeds. At a terminal it may ask for a password, say, which its plugins
// for credentials remember for the calls that follow; then it says there itself what is wrong.
Result<std::string> KubectlOutput(const KubectlFlags& flags, std::vector<std::string> words);

// The first line of what a program printed, as a terminal may have it; lines of kubectl's own log
// count only if there is nothing else.
std::string FirstLine(std::string_view text);

// Why kubectl failed, by what it printed on standard error: the first line, or in other words what
// that means where there is no kubeconfig.
std::string WhyKubectlFailed(std::string_view errors);

}  // namespace ballast::cli
