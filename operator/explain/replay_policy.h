// What a changed policy would have decided from the recorded inputs.
//
// This is not a simulation: replicas, load and pods at each decision are the recorded ones,
// although a changed policy would have changed them. Recommendations of the changed policy are
// carried from one decision to the next, a run of equal evaluations counting until its end. Scale
// events are the recorded ones, because the recorded replicas follow from them.
//
// Thread-safety: none; one thread at a time.
// Errors: kCorrupt if a recorded snapshot cannot be read.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "store/history.h"

namespace ballast::explain {

// The decisions of one autoscaler; call Decide() in their order.
class ChangedPolicy {
 public:
  explicit ChangedPolicy(api::Autoscaler policy) : policy_(std::move(policy)) {}

  // The changed policy's decision in place of the recorded one, with its trace. `documents` must
  // have a snapshot.
  Result<engine::Decision> Decide(const store::Entry& entry, const store::Documents& documents);

  // Metrics of the changed policy without recorded answers; they count as failed.
  const std::vector<std::string>& unmeasured() const { return unmeasured_; }

 private:
  std::vector<engine::MetricAnswer> AnswersFor(const engine::Snapshot& recorded);

  const api::Autoscaler policy_;
  std::optional<std::vector<engine::Recommendation>> recommendations_;
  std::vector<std::string> unmeasured_;
};

}  // namespace ballast::explain
