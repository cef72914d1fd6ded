// Chooses the address of a server's name to connect to, because cpprestsdk would try one after the
// other.
//
// Thread-safety: any thread.
// Errors: kUnavailable.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "api/base/result.h"
#include "operator/kube/http/api_endpoint.h"

namespace ballast::kube {

// An address of the server, or of the proxy in front of it: the only one, or the first that accepts
// a connection (race.h). kUnavailable: there is none, or none accepts before the deadline.
Result<std::string> FindAddress(const ApiEndpoint& server,
                                std::chrono::steady_clock::time_point deadline,
                                const std::stop_token& stop);

}  // namespace ballast::kube
