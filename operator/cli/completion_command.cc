#include <iostream>
#include <memory>
#include <string>

#include "operator/cli/commands.h"
#include "operator/cli/completion.h"

namespace ballast::cli {

void AddCompletion(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "completion", "Print a script that completes this program's commands, flags and names");
  const auto shell = std::make_shared<std::string>();
  command.AddOption("SHELL", *shell, "The shell that is to read the script")
      .Required()
      .OneOf({"bash", "zsh", "fish"});
  command.OnRun([shell, &status] {
    std::cout << CompletionScript(*shell);
    status = ExitStatus::kDone;
  });
}

}  // namespace ballast::cli
