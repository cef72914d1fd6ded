// Parses one HTTP/1.1 request from the bytes of a connection, in pieces of any size. It reads from
// no socket, so that its limits can be tested and fuzzed without one.
//
//   RequestReader reader(limits);
//   while (!reader.finished()) {
//     pending.erase(0, reader.Take(pending));
//     ... more bytes at the end of `pending` ...
//   }
//
// A request that is malformed or exceeds a limit finishes too, with the response that refuses it.
// Bytes that were not taken belong to the next request, or must be offered again with more after
// them; as long as the reader is not finished they are fewer than the header limit.
//
// Thread-safety: none; one thread.
// Errors: none returned; Finish() has the refusal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "operator/net/http_message.h"

namespace ballast::net {

// A request for the handler, or a refusal to send at once; neither if the peer disconnected before
// the request was finished.
struct Received {
  std::optional<HttpRequest> request;
  std::optional<HttpResponse> refusal;
  bool keep_alive = false;
  bool is_head = false;
};

class RequestReader {
 public:
  struct Limits {
    std::uint32_t header = 0;  // request line and fields; also a chunk's line and the trailer
    std::uint64_t body = 0;
  };

  explicit RequestReader(const Limits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Returns how many of the bytes were taken. Must not be called once finished.
  std::size_t Take(std::string_view bytes);
  bool finished() const;
  // The body's size so far; each Take() adds no more than it was given.
  std::size_t body_size() const;
  // The result; call it once and only when finished. The request, or a refusal: 400 malformed, 413
  // body too long, 431 header too long.
  Received Finish();

 private:
  struct RequestState;
  std::unique_ptr<RequestState> state_;
};

}  // namespace ballast::net
