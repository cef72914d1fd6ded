// Sends a write to an API server by Boost.Beast, once: on a connection that it has to itself, new
// or left by a write just before.
//
// A library's pool would silently repeat a request if its connection turns out dead, and could not
// say whether the request had been sent.
//
// Thread-safety: any thread.
// Errors: those of SendOnce.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "api/base/result.h"
#include "operator/kube/answer_limit.h"
#include "operator/kube/http/api_endpoint.h"
#include "operator/kube/http/http_answer.h"
#include "operator/kube/http/kept_connections.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

struct WriteCall {
  const Request& request;
  const std::string& token;  // empty: none
  std::chrono::steady_clock::time_point deadline;
  std::chrono::milliseconds step_timeout;  // the longest that a step of connecting may take
  AnswerLimit limit;                       // of the answer
  bool tells_time = true;                  // to the server, by `timeout=`
  // Called once connected, right before the first byte is sent. Returns a deadline, of which the
  // earlier one counts, or an error, which becomes the call's. May be null.
  std::function<Result<std::chrono::steady_clock::time_point>()> before_sending;
};

// `timeout=` makes the server give up before the deadline, so that it does nothing
// later. kNotSent: no byte of the request was sent. kTimeout, kUnavailable, kCorrupt (an answer
// that is larger than the maximum) and kInternal: it may have been executed.
Result<HttpAnswer> SendOnce(const ApiEndpoint& server, const WriteCall& call,
                            KeptConnections& kept);

}  // namespace ballast::kube
