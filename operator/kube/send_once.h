// A write to an API server by Boost.Beast: on a connection of its own, so that it is sent once.
//
// A pool would send a request again, silently, when a connection in it turns out dead, and could
// not tell whether the request had left. Thread-safety: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "api/base/result.h"
#include "operator/kube/http_answer.h"
#include "operator/kube/server.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

struct WriteCall {
  const Request& request;
  const std::string& token;  // empty: none
  std::chrono::steady_clock::time_point deadline;
  std::chrono::milliseconds patience;  // with each step of connecting
  std::size_t max_response_bytes;
  // Asked when the connection stands, right before the first byte is sent: an earlier deadline, or
  // an error, which is the call's. May be null.
  std::function<Result<std::chrono::steady_clock::time_point>()> before_sending;
};

// The server is told to give up (`timeout=`) before the deadline: then it does nothing after it.
// kNotSent: no byte of the request was. kTimeout, kUnavailable, kCorrupt (an answer that is no HTTP
// or larger than the maximum): it may have been executed.
Result<Answer> SendOnce(const Server& server, const WriteCall& call);

}  // namespace ballast::kube
