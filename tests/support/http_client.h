// An HTTP client for loopback that sends whatever the test wants, including what no proper client
// sends: half a request, one byte, garbage. Plain, or over TLS.
//
// All calls block for at most Patience().
//
// Thread-safety: one thread at a time.
// Errors: false and nullopt, as each function says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tests/support/socket_stream.h"

struct ssl_ctx_st;

namespace ballast::support {

struct HttpAnswer {
  int status = 0;
  std::string head;  // everything before the body
  std::string body;
};

class HttpClient {
 public:
  // `address`: "127.0.0.1:PORT". With `ca` (PEM) it uses TLS and trusts only that authority.
  explicit HttpClient(const std::string& address, const std::string& ca = "");
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Whether it is connected; with TLS also whether the server's certificate is `ca`'s.
  bool connected() const { return connected_; }
  // The subject of the server's certificate ("/CN=a"); empty without TLS.
  std::string server() const { return stream_.PeerSubject(); }

  // Sends the bytes as they are. False: the server has closed the connection.
  bool Send(std::string_view bytes) { return stream_.Write(bytes); }
  // Shuts down the sending side; answers can still arrive. Without TLS only.
  void EndSending();
  // The next answer; nullopt: the connection ended before it was complete, or nothing
  // came in time.
  std::optional<HttpAnswer> Receive();
  // Sends a whole request and receives its answer.
  std::optional<HttpAnswer> Post(const std::string& path, std::string_view body,
                                 const std::string& content_type = "application/json");
  std::optional<HttpAnswer> Get(const std::string& path);
  // Reads to the end. Whether the server closes the connection, regardless of what it sends first.
  bool AwaitClose();

 private:
  const int fd_;
  SocketStream stream_;
  ssl_ctx_st* tls_ = nullptr;
  bool connected_ = false;
};

}  // namespace ballast::support
