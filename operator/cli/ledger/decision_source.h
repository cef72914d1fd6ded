// Where the subcommands that read decisions with their inputs have them from: a file or several, or
// the ledgers of all of Ballast's pods.
//
// Thread-safety: main thread only.
// Errors: history_source.h's, selection.h's and the History's, and those of `visit`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "operator/cli/options.h"
#include "operator/cli/pods/pod_options.h"
#include "store/history.h"

namespace ballast::cli {

struct DecisionSource {
  Selection selected;
  std::optional<std::int64_t> limit;  // of the newest; 0: all
  PodOptions pods;
  bool of_files = true;
};
void AddDecisionSource(flags::Command& command, DecisionSource& source);

struct DecisionsRead {
  std::int64_t damaged = 0;  // documents that are left out
  bool whole = true;         // false: not all ledgers have told all, as standard error says
};

// Calls `visit` for each, autoscaler by autoscaler (by namespace, name and uid), oldest first,
// until it returns an error. Memory is bounded however many there are. Says on standard error what
// --limit leaves out, and on a terminal how far it is.
Result<DecisionsRead> ForEachDecision(const DecisionSource& source, const std::string& subcommand,
                                      const store::History::Visit& visit);

}  // namespace ballast::cli
