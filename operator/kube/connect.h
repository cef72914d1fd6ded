// The real Transport to an API server: cpprestsdk for GETs, Boost.Beast for writes and streams,
// with credentials, limits and retries around both.
//
// - Only the cluster's CA is trusted. Credentials are asked for again after a 401, which is retried
//   once. Certificates are read again for each connection, and once a minute: when they have
//   changed, connections made with the old ones are used no more.
// - A write has a connection of its own and is sent once. It says who writes (kFieldManager) and
//   for how long the server may try (`timeout=`).
// - A GET is retried within its deadline when the server could not be reached, and when it answered
//   429 or 5xx with a Retry-After of at most two seconds.
// Thread-safety: any number of threads; at most `max_in_flight` calls run at once, others wait
// within their deadline. Logs nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "api/base/result.h"
#include "operator/kube/client_metrics.h"
#include "operator/kube/config.h"
#include "operator/kube/resolve.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

// A call or a watch that the server answered, and that failed.
struct FailedCall {
  std::string call;  // "PATCH /apis/..."
  int http_status = 0;
  std::string audit_id;  // as the server's audit log has the call; printable, may be empty
  const Error& error;    // as who called gets it
};

struct ConnectOptions {
  std::string user_agent = "ballast";
  std::size_t max_in_flight = 16;
  std::size_t max_response_bytes = 64 * 1024 * 1024;
  // A server that sends nothing for so long, from the beginning of a call on, has failed it.
  std::chrono::milliseconds silence = std::chrono::seconds(10);
  // Called with the text of each Warning header, once for a text (from any thread).
  std::function<void(const std::string& warning)> on_warning;
  // Called with each (from any thread). An error alone does not tell the audit id: errors become
  // conditions, which must not differ from one try to the next.
  std::function<void(const FailedCall& failed)> on_failure = [](const FailedCall&) {};
  // Asked right before each attempt of a write is sent, after all waiting and connecting: until
  // when it may be under way. Its error is the call's. What keeps one who is no longer the leader
  // from writing.
  std::function<Result<std::chrono::steady_clock::time_point>()> before_write;
  // Once requested, GETs that are under way end, and no call begins (kUnavailable, kNotSent).
  std::stop_token stop;
  ClientMetrics metrics;
  Resolver resolve = Resolve;
  // When to look at the certificates again.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

// Does not connect yet: kInvalid when the configuration cannot be used (server URL, certificates).
Result<std::unique_ptr<Transport>> Connect(const ClusterConfig& config,
                                           const ConnectOptions& options = {});

}  // namespace ballast::kube
