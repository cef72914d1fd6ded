// Which address of a server's name to connect to, for the library that tries one after the other.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "api/base/result.h"
#include "operator/kube/server.h"

namespace ballast::kube {

// The server's, or the proxy's before it: the only one, or the first at which somebody answers
// (race.h). kUnavailable: there is none, or nobody does before the deadline.
Result<std::string> FindAddress(const Server& server,
                                std::chrono::steady_clock::time_point deadline,
                                const std::stop_token& stop);

}  // namespace ballast::kube
