// `ballast history` from outside the cluster: the ledgers of all pods, merged.
//
// Thread-safety: main thread only.
// Errors: as ask_pods.h, and kInvalid for times that are none.
#pragma once

#include <cstdint>

#include "api/base/result.h"
#include "operator/cli/ask_pods.h"
#include "operator/cli/history_writer.h"
#include "operator/cli/options.h"

namespace ballast::cli {

// Prints the newest `limit` decisions (0: all) of each ledger, or with `changes_only` of all
// ledgers together, and what is among them. kFoundWrong: a pod gave no answer.
Result<ExitStatus> PrintHistoryOfPods(const PodOptions& options, const Selection& selected,
                                      bool changes_only, std::int64_t limit, HistoryStyle style);

}  // namespace ballast::cli
