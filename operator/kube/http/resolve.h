// Resolves a host by the system's resolver, which has no deadline of its own.
//
// Thread-safety: any thread. Concurrent lookups of one host share one query, which continues in the
// background if it outlasts its callers.
// Errors: kUnavailable.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/base/result.h"

namespace ballast::kube {

// Returns at least one address, in the order to try them. kUnavailable: there is none, the deadline
// passed, or `stop` was requested.
using Resolver = std::function<Result<std::vector<std::string>>(
    const std::string& host, std::chrono::steady_clock::time_point deadline, std::stop_token stop)>;

// The system's resolver as a Resolver. A `host` that is an address resolves to itself.
Result<std::vector<std::string>> Resolve(const std::string& host,
                                         std::chrono::steady_clock::time_point deadline,
                                         std::stop_token stop);

}  // namespace ballast::kube
