// The version of Kubernetes as which the API server behaves.
//
// Thread-safety: thread-safe if the Transport is.
// Errors: the Transport's; kCorrupt if the answer has no version 1.x.
#pragma once

#include <string>

#include "api/base/result.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

struct ServerVersion {
  int minor = 0;     // 36: Kubernetes 1.36
  std::string text;  // "v1.36.3", of its program; for people
};

// Asks the server.
Result<ServerVersion> ReadServerVersion(Transport& transport);

}  // namespace ballast::kube
