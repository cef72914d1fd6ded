#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "operator/cli/commands.h"
#include "operator/cli/completion.h"

namespace ballast::cli {

void AddCompletion(CLI::App& program, ExitStatus& status) {
  auto* command = program.add_subcommand(
      "completion", "Print a script that completes this program's commands, flags and names");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell that is to read the script")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->option_text("bash|zsh|fish");
  command->callback([shell, &status] {
    std::cout << CompletionScript(*shell);
    status = ExitStatus::kDone;
  });
}

}  // namespace ballast::cli
