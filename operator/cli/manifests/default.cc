#include "operator/cli/commands.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/object_check.h"
#include "operator/cli/manifests/manifest.h"
#include "operator/cli/manifests/object_printer.h"
#include "operator/cli/manifests/rule_check.h"
#include "operator/cli/options.h"

namespace ballast::cli {

namespace {

// Prints the object with its defaults, or its errors to standard error; false if it has any.
bool PrintCompleted(const Manifest& manifest, const RuleCheck& rules, Syntax syntax,
                    ObjectPrinter& printer) {
  if (!manifest.document.ok()) {
    std::cerr << manifest.source << ": " << manifest.document.error().message << "\n";
    return false;
  }
  json::Decoder decoder(*manifest.document);
  if (!IsAutoscaler(decoder.root())) {
    printer.Print(decoder.root(), syntax);
    return true;
  }
  const api::ObjectCheck examination = rules.Check(decoder.root());
  const std::string about = manifest.source + ": " + Describe(decoder.root()) + ": ";
  for (const api::FieldError& error : examination.errors) {
    std::cerr << about << Print(error) << "\n";
  }
  if (!examination.valid()) {
    return false;
  }
  for (const std::string& warning : rules.OpenDefaults(decoder.root())) {
    std::cerr << about << "warning: " << warning << "\n";
  }
  const auto completed = json::Parse(examination.completed);
  json::Decoder completed_decoder(completed.value());
  printer.Print(completed_decoder.root(), syntax);
  return true;
}

struct Options {
  std::vector<std::string> files;
  std::optional<Syntax> syntax;
  RuleCheck rules;
};

ExitStatus Run(Options& options) {
  const auto manifests = ReadManifests(options.files);
  if (!manifests.ok()) {
    return Refuse("default", manifests.error().message);
  }
  options.rules.Learn(*manifests);
  ObjectPrinter printer;
  bool all_valid = true;
  for (const Manifest& manifest : *manifests) {
    const Syntax syntax = options.syntax.value_or(manifest.syntax);
    all_valid = PrintCompleted(manifest, options.rules, syntax, printer) && all_valid;
  }
  return all_valid ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

}  // namespace

void AddDefault(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "default", "Print HorizontalPodAutoscalers and AutoScalePolicies with their defaults");
  const auto options = std::make_shared<Options>();
  AddManifests(command, options->files);
  AddOutput(command, options->syntax, {{"yaml", Syntax::kYaml}, {"json", Syntax::kJson}},
            "How objects are printed; by default as they came in");
  options->rules.AddOption(command);
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
