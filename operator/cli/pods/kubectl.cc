#include "operator/cli/pods/kubectl.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include "api/base/digit.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/os/subprocess.h"

namespace ballast::cli {
namespace {

constexpr const char* kKubectl = "kubectl";
// A history of that size has some hundred thousand lines.
constexpr std::size_t kMaxOutput = 64 * 1024 * 1024;

os::Program KubectlWith(const KubectlFlags& flags, std::vector<std::string> words,
                        bool interactive) {
  // kubectl takes what follows "--" for the pod's program.
  const std::vector<std::string> where = WordsOf(flags);
  words.insert(words.begin(), where.begin(), where.end());
  return {kKubectl, std::move(words), {}, interactive};
}

// Errors name kubectl.
template <typename T>
Result<T> OfKubectl(Result<T> result) {
  return result.ok()
             ? std::move(result)
             : Error{result.error().code, std::string(kKubectl) + " " + result.error().message};
}

// "E1125 19:01:56.123456    1234 memcache.go:265] ..."
bool IsLogged(std::string_view line) {
  constexpr std::size_t kDate = 5;
  return line.size() > kDate && line[kDate] == ' ' && line.find("] ") != std::string_view::npos &&
         std::string_view("IWEF").find(line[0]) != std::string_view::npos &&
         IsAllDigits(line.substr(1, kDate - 1));
}

// What it says where no kubeconfig leads to a cluster, in words that name what is missing.
constexpr std::pair<std::string_view, const char*> kSayings[] = {
    {"error: current-context must exist",
     "there is no kubeconfig, or none of its contexts is current"},
    {"The connection to the server localhost:8080 was refused",
     "there is no kubeconfig, or it names no cluster"},
};

}  // namespace

std::string FirstLine(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!IsLogged(line)) {
      return OneLine(line);
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return OneLine(first);
}

std::string WhyKubectlFailed(std::string_view errors) {
  std::string said = FirstLine(errors);
  for (const auto& [beginning, meant] : kSayings) {
    if (said.starts_with(beginning)) {
      return meant;
    }
  }
  return said;
}

Result<os::Ended> RunKubectl(const KubectlFlags& flags, std::vector<std::string> words,
                             bool interactive) {
  return OfKubectl(
      os::RunToEnd(KubectlWith(flags, std::move(words), interactive), kKubectlTimeout, kMaxOutput));
}

Result<RunningKubectl> RunningKubectl::Start(const KubectlFlags& flags,
                                             std::vector<std::string> words) {
  os::Program kubectl = KubectlWith(flags, std::move(words), false);
  kubectl.listens = true;
  ASSIGN_OR_RETURN(auto program,
                   OfKubectl(os::RunningProgram::Start(kubectl, os::StandardError::kKept)));
  return RunningKubectl(std::move(program));
}

Status RunningKubectl::SendLine(std::string line) {
  return OfKubectl(program_->Send(std::move(line) + "\n"));
}

Result<std::optional<std::string>> RunningKubectl::ReadLine() {
  return OfKubectl(program_->ReadLine(kKubectlTimeout, kMaxOutput));
}

Result<os::Ended> RunningKubectl::End(std::chrono::seconds timeout) {
  program_->EndInput();
  return OfKubectl(program_->AwaitEnd(timeout));
}

Result<std::string> KubectlOutput(const KubectlFlags& flags, std::vector<std::string> words) {
  const bool interactive = isatty(STDERR_FILENO) == 1;
  ASSIGN_OR_RETURN(os::Ended ended, RunKubectl(flags, std::move(words), interactive));
  if (ended.status != 0) {
    return Error{Code::kUnavailable,
                 "kubectl" + (interactive ? " ended with status " + std::to_string(ended.status)
                                          : ": " + WhyKubectlFailed(ended.errors))};
  }
  return std::move(ended.output);
}

}  // namespace ballast::cli
