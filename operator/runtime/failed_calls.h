// Logs calls that the API server failed or refused, with the call's id in its audit log, where
// whoever runs the cluster finds the details. Logs at debug where this is part of normal operation:
// the object is gone, another write came first, a version is too old.
//
// Thread-safety: any thread.
#pragma once

#include "operator/kube/http/connect.h"

namespace ballast::runtime {

void LogFailedCall(const kube::FailedCall& failed);

}  // namespace ballast::runtime
