// The histories in the ledgers of all of Ballast's pods, as one: how the subcommands that read the
// history work from outside the cluster (docs/adr/0004-ask-the-pods-by-kubectl-exec.md).
//
// Thread-safety: main thread only.
// Errors: find_pods.h's; kNotFound also: no pod has answered.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/ledger/lost_ledgers.h"
#include "operator/cli/pods/find_pods.h"
#include "operator/cli/pods/pod_history.h"
#include "operator/explain/merged_history.h"

namespace ballast::cli {

class PodsHistory {
 public:
  // Standard error is told in the name of `subcommand`.
  static Result<std::unique_ptr<PodsHistory>> Open(const PodOptions& options,
                                                   const std::string& subcommand);

  explain::MergedHistory& history() { return *history_; }

  // Looks which pods there are now, and begins anew with those that gave no answer. If that cannot
  // be found out, says so once, and those that answered go on.
  void LookAgain();

  // Says on standard error which pods gave no answer, of each problem once. False: one gave none.
  bool TellLost() { return lost_.TellOf(*history_); }

 private:
  PodsHistory(const PodOptions& options, const std::string& subcommand);
  void Use(std::vector<LedgerPod> found);

  const PodOptions options_;
  std::vector<std::unique_ptr<PodHistory>> pods_;
  std::optional<explain::MergedHistory> history_;
  LostLedgers lost_;
};

}  // namespace ballast::cli
