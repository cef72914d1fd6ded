// The one binary: `ballast <subcommand>`.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/command.h"
#include "operator/cli/commands.h"
#include "operator/cli/terminal/terminal_guard.h"
#include "operator/cli/version.h"

namespace {

// What help calls the program: kubectl runs it as the plugin `kubectl-ballast`.
std::string NameOf(const std::string& file) {
  return file == "kubectl-ballast" ? "kubectl ballast" : "ballast";
}

// kubectl runs `kubectl_complete-ballast WORDS` to complete `kubectl ballast WORDS`.
std::vector<std::string> WordsOf(const std::string& file, std::vector<std::string> words) {
  if (file == "kubectl_complete-ballast") {
    words.insert(words.begin(), {"__complete", "--for-kubectl", "--"});
  }
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  using ballast::cli::ExitStatus;
  const ballast::cli::TerminalGuard output(std::cout, STDOUT_FILENO);
  const ballast::cli::TerminalGuard errors(std::cerr, STDERR_FILENO);
  const std::string file = argc > 0 ? std::filesystem::path(argv[0]).filename() : "";
  ballast::flags::Command program(NameOf(file), "Ballast scales Kubernetes workloads.");
  program.AddVersion(ballast::cli::VersionText());
  program.RequireSubcommand();

  auto status = ExitStatus::kDone;
  program.BeginHeading("What happens");
  ballast::cli::AddGet(program, status);
  ballast::cli::AddHistory(program, status);
  ballast::cli::AddWhy(program, status);
  ballast::cli::AddMetrics(program, status);
  ballast::cli::AddCheck(program, status);
  program.BeginHeading("Policies");
  ballast::cli::AddAutoscale(program, status);
  ballast::cli::AddConvert(program, status);
  ballast::cli::AddValidate(program, status);
  ballast::cli::AddDefault(program, status);
  ballast::cli::AddSchedule(program, status);
  program.BeginHeading("Exceptions, for a while");
  ballast::cli::AddPause(program, status);
  ballast::cli::AddResume(program, status);
  ballast::cli::AddOverrideMakers(program, status);
  ballast::cli::AddOverrides(program, status);
  ballast::cli::AddOverride(program, status);
  program.BeginHeading("The ledger");
  ballast::cli::AddReplay(program, status);
  ballast::cli::AddExport(program, status);
  ballast::cli::AddBackup(program, status);
  ballast::cli::AddRestore(program, status);
  ballast::cli::AddHistoryServer(program, status);
  program.BeginHeading("The program");
  ballast::cli::AddOperator(program, status);
  ballast::cli::AddLoglevel(program, status);
  ballast::cli::AddCrd(program, status);
  ballast::cli::AddDecide(program, status);
  ballast::cli::AddCompletion(program, status);
  ballast::cli::AddComplete(program, status);
  ballast::cli::AddVersion(program, status);

  auto words = ballast::cli::AskingForHelp(WordsOf(file, {argv + std::min(argc, 1), argv + argc}));
  ballast::Status parsed = ballast::cli::CheckSubcommand(program, words);
  if (parsed.ok()) {
    parsed = program.Parse(std::move(words));
  }
  if (!parsed.ok()) {
    std::cerr << parsed.error().message;
    status = ExitStatus::kUsedWrong;
  }
  return static_cast<int>(ballast::cli::FinishOutput(status));
}
