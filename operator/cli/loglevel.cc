#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/commands.h"

namespace ballast::cli {
namespace {

struct Options {
  int signal = SIGUSR1;
  pid_t pid = 1;
};

// Whether the process is `ballast operator`. Another one might end at the signal.
bool IsOperator(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
  const std::string line{std::istreambuf_iterator<char>(file), {}};  // each word ends in a NUL
  const auto first = line.find('\0');
  if (first == std::string::npos) {
    return false;
  }
  const std::string program = line.substr(0, first);
  const std::string command = line.substr(first + 1, line.find('\0', first + 1) - first - 1);
  return program.substr(program.rfind('/') + 1) == "ballast" && command == "operator";
}

Status Send(const Options& options) {
  const std::string process = "process " + std::to_string(options.pid);
  if (!IsOperator(options.pid)) {
    return Error{Code::kNotFound,
                 process + " is not `ballast operator`; --pid names it outside of its container"};
  }
  if (kill(options.pid, options.signal) != 0) {
    return Error{Code::kForbidden, process + ": " + std::generic_category().message(errno)};
  }
  return Done{};
}

}  // namespace

void AddLoglevel(CLI::App& program, ExitStatus& status) {
  auto* command = program.add_subcommand(
      "loglevel", "Change the log level of the operator in this container, or of --pid");
  const auto options = std::make_shared<Options>();
  command->add_option("LEVEL", options->signal, "debug, or initial: that which it was started with")
      ->required()
      ->transform(CLI::CheckedTransformer(
          std::vector<std::pair<std::string, int>>{{"debug", SIGUSR1}, {"initial", SIGUSR2}}));
  command->add_option("--pid", options->pid, "The operator's process (1)")
      ->check(CLI::PositiveNumber);
  command->callback([options, &status] {
    const Status sent = Send(*options);
    status = sent.ok() ? ExitStatus::kDone : Refuse("loglevel", sent.error().message);
  });
}

}  // namespace ballast::cli
