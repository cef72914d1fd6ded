// A small HTTP/1.1 server, plain or over TLS, that a hostile client can neither stall nor fill.
//
//   ASSIGN_OR_RETURN(auto server, net::HttpServer::Start("127.0.0.1:0", Answer, {}));
//   ... http://<server->address()>/ ...
//
// One thread does all input and output. Handlers run on `workers` other threads, so that one may
// block without delaying the rest. The limits:
// - A connection has deadlines for its handshake, for each request up to its last byte, for each
//   response and for being idle. At `max_connections` a new connection replaces one that was never
//   answered, else the one that has been idle for longest; if all are at handlers, the new one is
//   closed.
// - The first 64 KiB of a body are buffered as they arrive. A longer one needs one of four places
//   until it is answered, so that bodies take at most max_connections * 64 KiB + 4 * body_limit.
// - Long requests are handled one at a time on a thread of their own, so that they neither add up
//   in memory nor take workers from short ones.
// - Without calling the handler, the server answers 400 to what is not HTTP, 413 to a body and 431
//   to a header that is too long, and 503 if `max_in_flight` requests are at handlers or a long
//   body finds no place. If a handler throws a std::exception, it answers 500.
//
// The handler is called for HEAD as for any method; the body of its response is not sent.
//
// Thread-safety: Start, Stop and the destructor: owning thread only. address(): any thread.
// Errors: Start returns kInvalid, kConflict or kForbidden; errors of a connection end only that
// connection.
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
#include "operator/process/clock.h"

namespace ballast::net {

// Called from several threads at once. It must return at some point: Stop() waits for it.
using HttpHandler = std::function<HttpResponse(const HttpRequest& request)>;

struct HttpServerOptions {
  std::string name = "http";                    // prefix of its threads' names: "http-io", ...
  std::shared_ptr<const TlsIdentity> identity;  // null: plain
  std::size_t workers = 2;
  std::size_t max_connections = 256;
  std::size_t max_in_flight = 64;
  std::uint64_t body_limit = 64 * 1024;
  std::uint32_t header_limit = 64 * 1024;
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds request_timeout{10'000};  // to read one, and to write its response
  // Longer than the 90 s for which Go's clients keep a connection, so that they close it first. If
  // we did, a request on its way would be lost: clients do not repeat a POST.
  std::chrono::milliseconds idle_timeout{120'000};
  // For how long a request has waited; what the server itself waits for is Asio's.
  const process::Clock* clock = &process::RealClock();
};

class HttpServer {
 public:
  // "HOST:PORT" with an IP address ("127.0.0.1:8080", "[::1]:8080"), or ":8080" for every address;
  // port 0 takes a free one. kInvalid: not an address of this host; kConflict: in use; kForbidden:
  // not permitted.
  static Result<std::unique_ptr<HttpServer>> Start(const std::string& address, HttpHandler handler,
                                                   HttpServerOptions options);
  ~HttpServer();  // Stop(0)
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The address that it listens on, with the actual port.
  const std::string& address() const;

  // Shuts down without losing a request. From now on every response asks the client to close its
  // connection. New connections are still accepted for `drain`, because callers do not know yet;
  // open ones have `grace` more to end; then only requests at a handler are still answered. Returns
  // when all connections are closed. May be called again.
  void Stop(std::chrono::milliseconds grace,
            std::chrono::milliseconds drain = std::chrono::milliseconds(0));

 private:
  class Core;
  explicit HttpServer(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace ballast::net
