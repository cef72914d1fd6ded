#include "operator/cli/commands.h"

#include <iostream>
#include <memory>

#include "api/autoscaling/crd.h"
#include "api/autoscaling/json_schema.h"

namespace ballast::cli {

void AddCrd(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "crd",
      "Print the CustomResourceDefinitions of AutoScalePolicy and AutoScaleOverride, for kubectl "
      "apply");
  const auto json_schema = std::make_shared<bool>(false);
  command.AddFlag("--json-schema", *json_schema,
                  "Print the JSON schema of AutoScalePolicy instead, for editors");
  command.OnRun([json_schema, &status] {
    std::cout << (*json_schema ? api::PolicyJsonSchema() + "\n"
                               : api::PolicyCrd() + "---\n" + api::OverrideCrd());
    status = ExitStatus::kDone;
  });
}

}  // namespace ballast::cli
