// Who the API server takes the caller for.
//
// Thread-safety: thread-safe if the client is.
// Errors: none: what the server does not tell is empty.
#pragma once

#include <string>

#include "operator/kube/client.h"

namespace ballast::cli {

// The user's name; empty: the server does not say.
std::string CallerOf(kube::Client& client);

}  // namespace ballast::cli
