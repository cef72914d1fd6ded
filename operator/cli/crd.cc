#include "operator/cli/commands.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "api/autoscaling/crd.h"

namespace ballast::cli {

void AddCrd(CLI::App& program, ExitStatus& status) {
  program
      .add_subcommand("crd",
                      "Print the CustomResourceDefinition of AutoScalePolicy, for kubectl apply")
      ->callback([&status] {
        std::cout << api::PolicyCrd();
        status = ExitStatus::kDone;
      });
}

}  // namespace ballast::cli
