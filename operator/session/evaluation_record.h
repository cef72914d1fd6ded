// The record of an evaluation, or of its refusal: its summary for the ledger, the status and the
// log.
#pragma once

#include <cstdint>
#include <string>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/engine/refusal.h"
#include "store/records.h"

namespace ballast::session {

// The autoscaler as the ledger identifies it.
store::Subject SubjectOf(const api::Autoscaler& autoscaler);

// Differs if the spec does. The API server counts the generations of policies; of an HPA it is a
// hash of the spec as JSON.
std::int64_t GenerationOf(const api::Autoscaler& autoscaler);

// What the ledger records. `snapshot` must outlive the Append() of the record.
store::EvaluationRecord Describe(const engine::Snapshot& snapshot, const engine::Decision& decision,
                                 Duration period);
// Adds to it what differs for a shadow: the conditions are those of the HPA's controller, which may
// have computed a count.
void DescribeShadow(const engine::Decision& decision, store::EvaluationRecord& evaluation);
// What it records of one that is not evaluated. `replicas`: the last count of its target that is
// known.
store::EvaluationRecord Describe(const api::Autoscaler& autoscaler, const engine::Refusal& refusal,
                                 Time now, Duration period, std::int32_t replicas);

// The condition that explains most: what failed, else what holds the count (unless it is changed),
// else what limits it, else that all is well. Null: there is none.
const api::Condition* Explanation(const api::AutoscalerStatus& status, bool rescale);

// Why the autoscaler cannot be served as declared ("FailedGetScale: ..."); empty if it can.
std::string Problem(const engine::Conclusion& conclusion);

}  // namespace ballast::session
