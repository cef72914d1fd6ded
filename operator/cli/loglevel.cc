#include <sys/types.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>

#include "api/base/result.h"
#include "operator/cli/commands.h"

namespace ballast::cli {
namespace {

// Its value is the signal.
enum class LevelSignal { kDebug = SIGUSR1, kInitial = SIGUSR2 };

constexpr int kMostProcesses = 4'194'304;  // of Linux

struct Options {
  LevelSignal level = LevelSignal::kDebug;
  std::int32_t pid = 1;
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
  if (kill(options.pid, static_cast<int>(options.level)) != 0) {
    return Error{Code::kForbidden, process + ": " + std::generic_category().message(errno)};
  }
  return Done{};
}

}  // namespace

void AddLoglevel(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "loglevel", "Change the log level of the operator in this container, or of --pid");
  const auto options = std::make_shared<Options>();
  command
      .AddChoice("LEVEL", options->level,
                 {{"debug", LevelSignal::kDebug}, {"initial", LevelSignal::kInitial}},
                 "debug, or initial: the level that it was started with", flags::Case::kMatters)
      .Required();
  command.AddOption("--pid", options->pid, "The operator's process (1)").Between(1, kMostProcesses);
  command.OnRun([options, &status] {
    const Status sent = Send(*options);
    status = sent.ok() ? ExitStatus::kDone : Refuse("loglevel", sent.error().message);
  });
}

}  // namespace ballast::cli
