// Logs what the API server refused, with the id by which its audit log knows the call: whoever runs
// the cluster finds there what it was about. At debug where the refusal is part of working (the
// object is gone, somebody else was quicker, a version is too old).
//
// Thread-safety: any thread. It cannot fail.
#pragma once

#include "operator/kube/connect.h"

namespace ballast::runtime {

void LogFailedCall(const kube::FailedCall& failed);

}  // namespace ballast::runtime
