// Streams of lines by Boost.Beast.
//
// Each stream has a connection of its own (connection.h), read through a fixed buffer of 64 KiB on
// the caller's thread: what the sink has not taken stays with the server. The request's time-out
// (of silence) and TCP detect a peer that has vanished.
//
// Thread-safety: any thread; `stop` may be requested from any.
// Errors: those of Transport::Stream; kInternal if Beast throws.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "operator/kube/server.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

// The request, and where the answer goes.
struct StreamCall {
  const Request& request;
  const std::string& token;  // empty: none
  const LineSink& sink;
  // The longest that each step of connecting may take, and the server to begin its answer; for the
  // latter the request's time-out counts too, if it is shorter.
  std::chrono::milliseconds first_byte;
  // Called when the server begins to answer; `audit_id` is empty if it sends none.
  std::function<void(int status, std::string_view audit_id)> on_answer = [](int, auto) {};
};

// As Transport::Stream. A line may have up to 16 MiB: etcd stores objects of at most 1.5 MiB.
Status StreamLines(const Server& server, const StreamCall& call, std::stop_token stop);

}  // namespace ballast::kube
