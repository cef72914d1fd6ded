// A stream of lines by Boost.Beast.
//
// Each has a connection of its own (connection.h). All of a Transport's are read on the same few
// threads, piece by piece in turn; what the sink has not taken stays with the server. The request's
// time-out (of silence) and TCP detect a peer that has vanished. A stream that waits holds no
// buffers.
//
// Thread-safety: construction, Start and destruction: one thread at a time; `stop` may be requested
// from any.
// Errors: those of Transport::Stream; kInternal if Beast or the sink throws.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "operator/kube/http/api_endpoint.h"
#include "operator/kube/http/stream_threads.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

// The request, and where the answer goes. The references must outlive the stream.
struct StreamCall {
  const Request& request;
  const LineSink& sink;
  std::string token;  // empty: none
  // The longest that each step of connecting may take, and the server to begin its answer; for the
  // latter the request's time-out counts too, if it is shorter.
  std::chrono::milliseconds first_byte;
  // Called on a thread of the streams when the server begins to answer; `audit_id` is empty if it
  // sends none.
  std::function<void(int status, std::string_view audit_id)> on_answer = [](int, auto) {};
  // Called on a thread of the streams when the stream has ended, as Transport::Stream. It must not
  // destroy the stream.
  std::function<void(Status end)> on_end = [](const Status&) {};
};

// A line may have up to 16 MiB: etcd stores objects of at most 1.5 MiB.
class LineStream {
 public:
  LineStream(StreamThreads& threads, const ApiEndpoint& server, StreamCall call);
  // Closes the connection, and returns once nothing is called any more.
  ~LineStream();

  // Looks up the server's address and reads certificates, then returns while the stream begins. On
  // an error nothing has begun, and on_end is not called. Call it once.
  Status Start(const std::stop_token& stop);

 private:
  struct StreamState;
  using OnStop = std::stop_callback<std::function<void()>>;

  const std::shared_ptr<StreamState> state_;
  std::optional<OnStop> on_stop_;
};

}  // namespace ballast::kube
