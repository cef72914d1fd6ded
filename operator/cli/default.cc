#include "operator/cli/commands.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/object_check.h"
#include "operator/cli/manifest.h"
#include "operator/cli/object_printer.h"
#include "operator/cli/options.h"

namespace ballast::cli {

namespace {

// Prints the object with its defaults, or its errors to standard error; false if it has any.
bool PrintCompleted(const Manifest& manifest, Syntax syntax, ObjectPrinter& printer) {
  if (!manifest.document.ok()) {
    std::cerr << manifest.source << ": " << manifest.document.error().message << "\n";
    return false;
  }
  json::Decoder decoder(*manifest.document);
  if (!IsAutoscaler(decoder.root())) {
    printer.Print(decoder.root(), syntax);
    return true;
  }
  const api::ObjectCheck examination = api::CheckObject(decoder.root());
  for (const api::FieldError& error : examination.errors) {
    std::cerr << manifest.source << ": " << Describe(decoder.root()) << ": " << Print(error)
              << "\n";
  }
  if (!examination.valid()) {
    return false;
  }
  const auto completed = json::Parse(examination.completed);
  json::Decoder completed_decoder(completed.value());
  printer.Print(completed_decoder.root(), syntax);
  return true;
}

ExitStatus Run(const std::vector<std::string>& files, std::optional<Syntax> syntax) {
  const auto manifests = ReadManifests(files);
  if (!manifests.ok()) {
    return Refuse("default", manifests.error().message);
  }
  ObjectPrinter printer;
  bool all_valid = true;
  for (const Manifest& manifest : *manifests) {
    all_valid = PrintCompleted(manifest, syntax.value_or(manifest.syntax), printer) && all_valid;
  }
  return all_valid ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

struct Options {
  std::vector<std::string> files;
  std::optional<Syntax> syntax;
};

}  // namespace

void AddDefault(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "default", "Print HorizontalPodAutoscalers and AutoScalePolicies with their defaults");
  const auto options = std::make_shared<Options>();
  AddManifests(command, options->files);
  AddOutput(command, options->syntax, {{"yaml", Syntax::kYaml}, {"json", Syntax::kJson}},
            "How objects are printed; by default as they came in");
  command.OnRun([options, &status] { status = Run(options->files, options->syntax); });
}

}  // namespace ballast::cli
