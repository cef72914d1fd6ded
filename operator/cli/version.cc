#include "operator/cli/version.h"

#include <iostream>
#include <memory>

#include "api/autoscaling/feature_gates.h"
#include "api/decision/engine_version.h"
#include "api/json/json_writer.h"
#include "operator/cli/commands.h"
#include "operator/cli/commit.h"
#include "operator/cli/options.h"
#include "operator/cli/print_document.h"
#include "store/sqlite/database_schema.h"

namespace ballast::cli {
namespace {

const std::string kKubernetes = "1." + std::to_string(api::kTestedMinor);

void PrintText() {
  std::cout << VersionText() << "\nengine      " << engine::kEngineVersion << "\nstore       "
            << store::kSchemaVersion << "\nKubernetes  tested up to " << kKubernetes << "\n";
}

std::string Json() {
  json::Writer writer;
  writer.Object([&] {
    writer.Field("version", BALLAST_VERSION);
    writer.Field("commit", Commit());
    writer.Field("engineVersion", engine::kEngineVersion);
    writer.Field("storeSchema", store::kSchemaVersion);
    writer.Field("testedKubernetes", kKubernetes);
  });
  return writer.Take();
}

}  // namespace

std::string VersionText() { return std::string("ballast " BALLAST_VERSION " (") + Commit() + ")"; }

void AddVersion(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "version", "Print the version, the commit, and the versions of what the program writes");
  const auto output = std::make_shared<DocumentOutput>(DocumentOutput::kText);
  AddDocumentOutput(command, *output);
  command.OnRun([output, &status] {
    *output == DocumentOutput::kText ? PrintText() : PrintDocument(Json(), *output);
    status = ExitStatus::kDone;
  });
}

}  // namespace ballast::cli
