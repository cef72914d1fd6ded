// What became of a write of a scale that nobody confirmed: after a time-out, a conflict, or a crash
// between intent and outcome, the scale itself is asked.
//
// Thread-safety: any thread.
#pragma once

#include "api/meta.h"
#include "api/time.h"
#include "operator/engine/decision.h"
#include "operator/kube/client.h"
#include "operator/kube/resource.h"

namespace ballast::controllers {

// The name under which the operator's writes appear in managedFields.
inline constexpr const char* kFieldManager = "ballast";

// kWritten: the replicas are the change's, and were last set by the operator at or after `since`.
// kFailed: nobody has set the replicas since then. kUnknown: somebody else has, or the scale cannot
// be read, or the object is another one now. Times in managedFields are whole seconds.
engine::Outcome ReadBack(kube::Client& client, const kube::Resource& resource,
                         const api::ObjectKey& key, const kube::ScaleChange& change, Time since);

// The same from a scale that has been read.
engine::Outcome Judge(const api::Scale& scale, const kube::ScaleChange& change, Time since);

}  // namespace ballast::controllers
