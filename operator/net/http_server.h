// A small HTTP/1.1 server, plain or over TLS, that a hostile client can neither stall nor fill.
//
//   ASSIGN_OR_RETURN(auto server, net::HttpServer::Start("127.0.0.1:0", Answer, {}));
//   ... http://<server->address()>/ ...
//
// One thread does all input and output; handlers run on `workers` threads of their own, so that a
// handler may block without delaying others. What bounds it:
// - A connection has a deadline for its handshake, for each request to the last byte, for each
//   answer, and for being idle. At `max_connections` a newcomer takes the place of one that was
//   never answered, else of the one that has been idle for longest; if all are at handlers, it is
//   closed.
// - Of a body 64 KiB are buffered as they come; longer ones need one of four places until they are
//   answered, so that requests hold at most max_connections * 64 KiB + 4 * body_limit.
// - Long requests are handled one at a time, on a thread of their own: they take neither memory
// side
//   by side nor workers from short ones.
// - Refused without asking the handler: 400 not HTTP, 413 body too long, 431 header too long, 503
//   more than `max_in_flight` requests at handlers, or no place for a long body; 500 a handler
//   threw.
// A HEAD is answered as a GET, without the body. Thread-safety: Start and Stop are the owner's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/net/http_message.h"
#include "operator/net/tls_identity.h"

namespace ballast::net {

// Called from several threads at once. Must return in the end: Stop() waits for it.
using HttpHandler = std::function<HttpResponse(const HttpRequest& request)>;

struct HttpServerOptions {
  std::string name = "http";                    // of its threads: "http-io", ...
  std::shared_ptr<const TlsIdentity> identity;  // null: plain
  std::size_t workers = 2;
  std::size_t max_connections = 256;
  std::size_t max_in_flight = 64;
  std::uint64_t body_limit = 64 * 1024;
  std::uint32_t header_limit = 64 * 1024;
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds request_timeout{10'000};  // to read one, and to write its answer
  // Longer than Go's clients keep one (90 s), so that they close it: a request that crosses with
  // our closing it is lost, since they do not repeat a POST.
  std::chrono::milliseconds idle_timeout{120'000};
};

class HttpServer {
 public:
  // "HOST:PORT" with an IP address ("127.0.0.1:8080", "[::1]:8080") or without (":8080" is every
  // address); port 0 takes a free one. kInvalid: no such address; kConflict: in use; kForbidden.
  static Result<std::unique_ptr<HttpServer>> Start(const std::string& address, HttpHandler handler,
                                                   HttpServerOptions options);
  ~HttpServer();  // Stop(0)
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Where it listens, with the port taken.
  const std::string& address() const;

  // Ends it without losing a request. Every answer from now on asks to close its connection. For
  // `farewell` new connections are still taken, because callers do not know yet; for `grace` more
  // the open ones are waited for; then only those at a handler are still answered. Returns when all
  // is closed. May be called again.
  void Stop(std::chrono::milliseconds grace,
            std::chrono::milliseconds farewell = std::chrono::milliseconds(0));

 private:
  class Core;
  explicit HttpServer(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace ballast::net
