// A scale to zero that the policy's status does not tell of.
//
// Errors: none; while it cannot be read who set the zero, the snapshot has no scale, so that
// nothing is decided. A zero of which nobody says who set it is not the operator's.
#pragma once

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/workload.h"

namespace ballast::session {

// Whether the scale is a zero, and the status does not say that it is the operator's.
bool IsUntoldZero(const api::Scale& scale, const api::AutoscalerStatus& status);

// A process that ended between a scale to zero and its status left no condition saying that the
// zero is the operator's. Without that condition the policy would count as switched off for good:
// adds it. `own_zero`: the ledger's last write was to zero, and it was still so. `managed`: as
// WhoSet (who_set.h) has it.
void CompleteZero(bool own_zero, const Result<api::Scale>& managed, engine::Snapshot& snapshot);

}  // namespace ballast::session
