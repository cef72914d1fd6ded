// Judges the outcome of a write that was not confirmed (a timeout, an unreadable answer, a crash
// between intent and outcome) by the scale itself.
#pragma once

#include <optional>

#include "api/decision/decision.h"
#include "api/kubernetes/preconditions.h"
#include "api/kubernetes/workload.h"

namespace ballast::session {

// The outcome of the attempt `change` of an evaluation that began at `began`, judged by `scale`,
// which was read after it was sent; `manager` last set its replicas, absent: not known. nullopt:
// the replicas are still those that the decision saw, and the write may yet arrive.
//   kWritten  the replicas are the attempt's, and no other manager is known to have set them
//   kFailed   they are still what the decision saw, and the write cannot arrive any more
//   kUnknown  others have set them, maybe back to what the decision saw, or the object has been
//             replaced: the attempt may or may not have arrived before that
std::optional<engine::Outcome> Judge(const api::Scale& scale,
                                     const std::optional<api::FieldManager>& manager,
                                     const api::ScaleChange& change, Time began, bool may_arrive);

}  // namespace ballast::session
