// The addresses of a host, by the system's resolver, which knows no deadline by itself.
//
// Thread-safety: any thread. A lookup that outlasts its callers goes on without them; those of one
// host at one time share one.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/base/result.h"

namespace ballast::kube {

// At least one, in the order in which they are to be tried. kUnavailable: none, or not before the
// deadline, or `stop` was requested.
using Resolver = std::function<Result<std::vector<std::string>>(
    const std::string& host, std::chrono::steady_clock::time_point deadline, std::stop_token stop)>;

// An address is its own.
Result<std::vector<std::string>> Resolve(const std::string& host,
                                         std::chrono::steady_clock::time_point deadline,
                                         std::stop_token stop);

}  // namespace ballast::kube
