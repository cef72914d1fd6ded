// Who set the replicas of a target: what its managedFields say, which the scale of a target has
// not. So the target itself is read.
//
// Errors: those of that reading, and WhoSet's own.
#pragma once

#include <optional>

#include "api/base/result.h"
#include "api/kubernetes/workload.h"

namespace ballast::session {

// Who set the replicas of `scale`, as the target itself says, which was read as `managed`; absent:
// it does not say, or must not be read. kConflict: it is another one, if the scale has a uid, or
// has another count.
Result<std::optional<api::FieldManager>> WhoSet(const Result<api::Scale>& managed,
                                                const api::Scale& scale);

// The same, if it was read and can be told.
std::optional<api::FieldManager> ManagerOf(const std::optional<Result<api::Scale>>& managed,
                                           const api::Scale& scale);

}  // namespace ballast::session
