// A scale to zero that the policy's status does not tell of.
//
// Thread-safety: the port's.
// Errors: none; while it cannot be read who set the zero, the snapshot has no scale, so that
// nothing is decided. A zero of which nobody says who set it is not the operator's.
#pragma once

#include "api/decision/snapshot.h"
#include "operator/session/ports.h"

namespace ballast::session {

// A process that ended between a scale to zero and its status left no condition saying that the
// zero is the operator's. Without that condition the policy would count as switched off for good:
// adds it. `own_zero`: the ledger's last write was to zero, and it was still so.
void CompleteZero(bool own_zero, ScalePort& scales, engine::Snapshot& snapshot);

}  // namespace ballast::session
