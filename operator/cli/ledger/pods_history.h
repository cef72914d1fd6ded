// `ballast history` from outside the cluster: the ledgers of all pods, merged.
//
// Thread-safety: main thread only.
// Errors: as ask_pods.h, and kInvalid for times that are none.
#pragma once

#include <cstdint>

#include "api/base/result.h"
#include "operator/cli/ledger/history_writer.h"
#include "operator/cli/options.h"
#include "operator/cli/pods/ask_pods.h"

namespace ballast::cli {

struct PodsHistoryOptions {
  PodOptions pods;
  Selection selected;
  bool changes_only = false;
  std::int64_t limit = 0;  // 0: all
  HistoryStyle style;
};

// Prints the newest `limit` decisions of each ledger, or with `changes_only` of all ledgers
// together, and what is among them. kFoundWrong: a pod gave no answer.
Result<ExitStatus> PrintHistoryOfPods(const PodsHistoryOptions& options);

// Then asks again every few seconds, and prints what has come, until nobody reads it any more. A
// pod that gives no answer, or none any more, is named once, and asked again. The errors are those
// of the first question.
Result<ExitStatus> FollowHistoryOfPods(const PodsHistoryOptions& options);

}  // namespace ballast::cli
