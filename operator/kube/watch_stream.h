// Streams of lines by Boost.Beast.
//
// A connection of its own for each stream (connection.h), read through a fixed buffer of 64 KiB on
// the caller's thread: what the sink has not taken stays with the server. A peer that vanished is
// noticed by the request's time-out (silence) and by TCP.
// Thread-safety: any thread; `stop` may be requested from any.
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

// What to send, and where the answer goes.
struct StreamCall {
  const Request& request;
  const std::string& token;  // empty: none
  const LineSink& sink;
  // How long each step of connecting may take, and the server to begin to answer; for that the
  // request's time-out counts as well.
  std::chrono::milliseconds first_byte;
  // The server has begun to answer; `audit_id` is empty where it names none.
  std::function<void(int status, std::string_view audit_id)> on_answer = [](int, auto) {};
};

// As Transport::Stream. A line may have 16 MiB: etcd keeps objects of at most 1.5 MiB.
Status StreamLines(const Server& server, const StreamCall& call, std::stop_token stop);

}  // namespace ballast::kube
