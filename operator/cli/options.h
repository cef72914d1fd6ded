// Options that several subcommands share, so that each has one name and one help text.
//
// Thread-safety: main thread only.
// Errors: none; wrong values are reported when the command line is parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/command.h"
#include "operator/cli/terminal/times.h"

namespace ballast::cli {

// --store of the subcommands that work on one ledger.
void AddStore(flags::Command& command, std::string& store);
// --store, once or several times, of those that read the history.
void AddStores(flags::Command& command, std::vector<std::string>& stores);

// --utc.
void AddZone(flags::Command& command, Zone& zone);

// Of which autoscalers: NAME, --namespace and --kind. selection.h says what they mean together.
struct AutoscalerChoice {
  std::string name;        // empty: all
  std::string namespace_;  // empty: that of the name, or all
  std::string kind;        // empty: any
};
// --namespace and --kind.
void AddAutoscalerChoice(flags::Command& command, AutoscalerChoice& choice);

// Which records of the ledger to read: NAME, --namespace, --all-namespaces, --kind, --store,
// --since, --until and --utc.
struct Selection {
  AutoscalerChoice of;
  bool all_namespaces = false;
  std::vector<std::string> stores;  // the ledgers' files; not empty
  std::string since;                // empty: no bound
  std::string until;
  Zone zone = Zone::kLocal;
};
void AddSelection(flags::Command& command, Selection& selection);

// -o of what is printed for people, or as one document for programs.
enum class DocumentOutput { kText, kJson, kYaml };
void AddDocumentOutput(flags::Command& command, DocumentOutput& output);

// --limit: of the newest decisions, that many. `by_default`: what it is where it is not given.
void AddLimit(flags::Command& command, std::optional<std::int64_t>& limit,
              const std::string& by_default);

// --no-headers.
void AddNoHeaders(flags::Command& command, bool& no_headers);

// FILE and -f: files, folders, or standard input (the default).
void AddManifests(flags::Command& command, std::vector<std::string>& files);

// -o: one of `names`. `help` should name the default.
template <typename Output>
void AddOutput(
    flags::Command& command, Output& output,
    const std::vector<std::pair<std::string, typename flags::ChoiceOf<Output>::Type>>& names,
    const std::string& help) {
  command.AddChoice("-o,--output", output, names, help);
}

}  // namespace ballast::cli
