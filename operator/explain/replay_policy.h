// What another policy would have made of the recorded inputs.
//
// It is no simulation: at each decision, replicas, load and the pods that count are those that were
// recorded, and a changed policy would have changed them. What it would have recommended is carried
// on from one decision to the next, a run of equal evaluations counting as one that lasted; scale
// events are those that happened, because the recorded replicas follow from them.
//
// Thread-safety: none; one thread at a time. Failure modes: kCorrupt when a recorded snapshot
// cannot be read.
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
#include "store/reader.h"

namespace ballast::explain {

// The decisions of one autoscaler, in their order.
class ChangedPolicy {
 public:
  explicit ChangedPolicy(api::Autoscaler policy) : policy_(std::move(policy)) {}

  // The decision in place of the recorded one, with its trace. `documents` must have a snapshot.
  Result<engine::Decision> Decide(const store::Entry& entry, const store::Documents& documents);

  // Metrics of the changed policy that were not measured then: they count as failed.
  const std::vector<std::string>& unmeasured() const { return unmeasured_; }

 private:
  std::vector<engine::MetricAnswer> AnswersFor(const engine::Snapshot& recorded);

  const api::Autoscaler policy_;
  std::optional<std::vector<engine::Recommendation>> recommendations_;
  std::vector<std::string> unmeasured_;
};

}  // namespace ballast::explain
