// Makes one HTTP/1.1 request of the bytes of a connection, in whatever pieces they come. It reads
// from no socket, so that its limits can be tested and fuzzed without one.
//
//   RequestReader reader(limits);
//   while (!reader.finished()) {
//     pending.erase(0, reader.Take(pending));
//     ... more bytes at the end of `pending` ...
//   }
//
// A request that is not HTTP or exceeds a limit is finished too: with the answer that refuses it.
// What was not taken belongs to the next request, or is to be offered again with more behind it; it
// stays shorter than the header limit. Thread-safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "operator/net/http_message.h"

namespace ballast::net {

// What is done with a request: given to the handler, or answered at once; neither when the peer
// went before it was finished.
struct Received {
  std::optional<HttpRequest> request;
  std::optional<HttpResponse> refusal;
  bool keep_alive = false;
  bool is_head = false;
};

class RequestReader {
 public:
  struct Limits {
    std::uint32_t header = 0;  // request line and fields; also of a chunk's line and the trailer
    std::uint64_t body = 0;
  };

  explicit RequestReader(const Limits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // How many of the bytes were taken. Must not be called when finished.
  std::size_t Take(std::string_view bytes);
  bool finished() const;
  // Of the body so far; it grows by no more than each Take() was given.
  std::size_t body_size() const;
  // What came of it, once. The request, or 400 not HTTP, 413 body too long, 431 header too long.
  Received Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ballast::net
