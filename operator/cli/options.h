// Options that several subcommands share, so that each has one name and one help text.
//
// Thread-safety: main thread only.
// Errors: none; CLI11 reports wrong values when it parses the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/command.h"
#include "operator/cli/times.h"

namespace ballast::cli {

// --store of the subcommands that read the ledger.
void AddStore(CLI::App& command, std::string& store);

// --utc.
void AddZone(CLI::App& command, Zone& zone);

// Of which autoscalers: NAME, --namespace and --kind. selection.h says what they mean together.
struct AutoscalerChoice {
  std::string name;        // empty: all
  std::string namespace_;  // empty: that of the name, or all
  std::string kind;        // empty: any
};
// --namespace and --kind.
void AddAutoscalerChoice(CLI::App& command, AutoscalerChoice& choice);

// Which records of the ledger to read: NAME, --namespace, --all-namespaces, --kind, --store,
// --since, --until and --utc.
struct Selection {
  AutoscalerChoice of;
  bool all_namespaces = false;
  std::string store;
  std::string since;  // empty: no bound
  std::string until;
  Zone zone = Zone::kLocal;
};
void AddSelection(CLI::App& command, Selection& selection);

// --no-headers.
void AddNoHeaders(CLI::App& command, bool& no_headers);

// FILE and -f: files, folders, or standard input (the default).
void AddManifests(CLI::App& command, std::vector<std::string>& files);

// The type of the choice: Target, or T if Target is std::optional<T>.
template <typename Target>
struct ChoiceOf {
  using Type = Target;
};
template <typename Choice>
struct ChoiceOf<std::optional<Choice>> {
  using Type = Choice;
};

// -o: one of `names`. `help` should name the default.
template <typename Output>
void AddOutput(CLI::App& command, Output& output,
               const std::vector<std::pair<std::string, typename ChoiceOf<Output>::Type>>& names,
               const std::string& help) {
  std::string choices;
  for (const auto& [name, value] : names) {
    choices += (choices.empty() ? "" : "|") + name;
  }
  command.add_option("-o,--output", output, help)
      ->transform(CLI::CheckedTransformer(names, CLI::ignore_case))
      ->option_text(choices);
}

}  // namespace ballast::cli
