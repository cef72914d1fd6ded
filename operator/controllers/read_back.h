// What became of a write of a scale that nobody confirmed: after a time-out, an answer that cannot
// be read, or a crash between intent and outcome, the scale itself is asked.
//
// Thread-safety: any thread.
#pragma once

#include <optional>

#include "api/decision/decision.h"
#include "api/kubernetes/workload.h"
#include "operator/kube/preconditions.h"
#include "operator/kube/transport.h"

namespace ballast::controllers {

using kube::kFieldManager;

// What the scale, which was read after the attempt was sent, says of it; `manager` set its
// replicas. nullopt: the replicas are still what the decision saw, and the attempt may yet arrive.
//   kWritten  the replicas are the attempt's, and nobody else is known to have set them
//   kFailed   they are still what the decision saw, although nothing can arrive any more
//   kUnknown  somebody else has set them, or the object is another one now: whether the attempt had
//             arrived before nobody can tell
// The times in managedFields do not count: a manager's second write leaves its time as it was.
std::optional<engine::Outcome> Judge(const api::Scale& scale,
                                     const std::optional<api::FieldManager>& manager,
                                     const kube::ScaleChange& change, bool may_arrive);

}  // namespace ballast::controllers
