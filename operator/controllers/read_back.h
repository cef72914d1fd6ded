// What became of a write of a scale that nobody confirmed: after a time-out, a conflict, or a crash
// between intent and outcome, the scale itself is asked.
//
// Thread-safety: any thread.
#pragma once

#include <optional>

#include "api/meta.h"
#include "api/workload.h"
#include "operator/engine/decision.h"
#include "operator/kube/client.h"
#include "operator/kube/resource.h"

namespace ballast::controllers {

// The name under which the operator's writes appear in managedFields.
inline constexpr const char* kFieldManager = "ballast";

// Scales come without managedFields, so the object itself is asked who set its replicas. Absent
// where the operator may not read it, and where they are not at spec.replicas.
std::optional<api::FieldManager> FindManager(kube::Client& client, const kube::Resource& resource,
                                             const api::ObjectKey& key);

// kWritten: the replicas are the change's, and nobody else is known to have set them. kFailed: they
// are still what the decision saw, or the target is gone. kUnknown: somebody else has set them, or
// the object is another one now. An error when the scale cannot be read: worth asking again. The
// times in managedFields do not count: a manager's second write of a scale leaves its time as it
// was.
Result<engine::Outcome> ReadBack(kube::Client& client, const kube::Resource& resource,
                                 const api::ObjectKey& key, const kube::ScaleChange& change);

// The same from a scale that has been read.
engine::Outcome Judge(const api::Scale& scale, const kube::ScaleChange& change);

}  // namespace ballast::controllers
