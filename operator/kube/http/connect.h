// The real Transport to an API server: cpprestsdk for GETs, Boost.Beast for writes and streams,
// with credentials, limits and retries around both.
//
// - Only the cluster's CA is trusted. After a 401 the credentials are renewed and the call is
//   retried once. Certificates are read again for each connection, and once a minute; if they have
//   changed, connections made with the old ones are not used again.
// - A write has its connection to itself and is sent once. It names its field manager
//   (api::kFieldManager) and how long the server may try (`timeout=`). Writes within a second of
//   each other use a connection again (kept_connections.h).
// - A GET is sent up to `max_attempts` times within its deadline if the server cannot be reached or
//   breaks off, and if it answers 429 or 5xx with a Retry-After of at most two seconds.
// - All goes to one address of the server for as long as it answers (kept_address.h).
// - It logs nothing.
//
// Thread-safety: any number of threads. At most `max_in_flight` calls run at once, not counting
// streams; others wait within their deadline.
// Errors: Connect returns kInvalid or the error of reading a file; the calls' are in transport.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "api/base/result.h"
#include "operator/kube/answer_limit.h"
#include "operator/kube/auth/config.h"
#include "operator/kube/http/client_metrics.h"
#include "operator/kube/http/resolve.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"

namespace ballast::kube {

// A call or a watch that the server answered and that failed.
struct FailedCall {
  std::string call;  // "PATCH /apis/..."
  int http_status = 0;
  std::string audit_id;  // the call's id in the server's audit log; printable, may be empty
  const Error& error;    // the error that the caller gets
};

struct ConnectOptions {
  std::string user_agent = "ballast";
  std::size_t max_in_flight = 48;  // all writers, and all that wait for metrics or discovery
  int max_attempts = 4;            // of a GET
  std::size_t max_response_bytes = kOnePage.bytes;
  // The longest silence of the server: in each step of connecting, and besides for a GET up to the
  // first byte and between any two, for a stream until its answer begins. (A write then waits until
  // its deadline, a stream for as long as its request's time-out.)
  std::chrono::milliseconds silence = std::chrono::seconds(10);
  // Called with the text of each Warning header, once for each text (from any thread).
  std::function<void(const std::string& warning)> on_warning;
  // Called with each failed call (from any thread). The audit id is here and not in the Error,
  // because errors become conditions, which must not differ from one try to the next.
  std::function<void(const FailedCall& failed)> on_failure = [](const FailedCall&) {};
  // Called right before each attempt of a write is sent, after all waiting and connecting. Returns
  // until when the write may be under way; an error becomes the call's error. This keeps a replica
  // from writing that is no longer the leader.
  std::function<Result<process::SteadyTime>()> before_write;
  // Once requested, GETs under way end, and no call begins: kUnavailable for a GET, kNotSent for a
  // write.
  std::stop_token stop;
  ClientMetrics metrics;
  Resolver resolve = Resolve;
  // Whether writes say what API servers are told: the field manager, and how long they may try.
  bool api_server = true;
  // For looking at the certificates and the address again, and for kept connections. Limits of
  // waiting, which the system keeps, are by the system's clock.
  const process::Clock* clock = &process::RealClock();
};

// Does not connect yet. kInvalid if the configuration is unusable (URL of the server or the proxy,
// certificates); the error of reading a file if that fails.
Result<std::unique_ptr<Transport>> Connect(const ClusterConfig& config,
                                           const ConnectOptions& options = {});

}  // namespace ballast::kube
