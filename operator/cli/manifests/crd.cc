#include "operator/cli/commands.h"

#include <iostream>

#include "api/autoscaling/crd.h"

namespace ballast::cli {

void AddCrd(flags::Command& program, ExitStatus& status) {
  program
      .AddSubcommand("crd",
                     "Print the CustomResourceDefinition of AutoScalePolicy, for kubectl apply")
      .OnRun([&status] {
        std::cout << api::PolicyCrd();
        status = ExitStatus::kDone;
      });
}

}  // namespace ballast::cli
