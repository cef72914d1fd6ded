// The decisions in the ledgers of all pods, as `ballast export` prints them there.
//
// Thread-safety: main thread only.
// Errors: as ask_pods.h, and those of `visit`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/ledger/exported_decision.h"
#include "operator/cli/pods/ask_pods.h"

namespace ballast::cli {

using VisitDecision = std::function<Status(const ExportedDecision&)>;

// Runs `ballast export` with these words in all pods, and calls `visit` for each decision as it
// comes, with its pod: autoscaler by autoscaler (by namespace, name and uid), oldest first,
// whichever ledgers have them, until it returns an error. Memory is bounded however many there are.
// Says on standard error, in the name of `subcommand`, which pods gave no answer or not all of it.
// False: so did one, or has damaged records.
Result<bool> ForEachDecisionOfPods(const PodOptions& options, const std::string& subcommand,
                                   const std::vector<std::string>& words,
                                   const VisitDecision& visit);

}  // namespace ballast::cli
