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
  struct Schemas {
    bool policy = false;
    bool override = false;
  };
  const auto schemas = std::make_shared<Schemas>();
  command.AddFlag("--json-schema", schemas->policy,
                  "Print the JSON schema of AutoScalePolicy instead, for editors");
  command
      .AddFlag("--override-json-schema", schemas->override,
               "Print the JSON schema of AutoScaleOverride instead")
      .Excludes("--json-schema");
  command.OnRun([schemas, &status] {
    std::cout << (schemas->policy     ? api::PolicyJsonSchema() + "\n"
                  : schemas->override ? api::OverrideJsonSchema() + "\n"
                                      : api::PolicyCrd() + "---\n" + api::OverrideCrd());
    status = ExitStatus::kDone;
  });
}

}  // namespace ballast::cli
