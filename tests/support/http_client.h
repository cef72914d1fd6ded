// A client on loopback that sends what the test says, also what no client should: half a request,
// one byte, garbage. Plain, or over TLS.
//
// Everything blocks, for ten seconds at most. Thread-safety: one thread.
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
  // `address`: "127.0.0.1:PORT". With `ca` (PEM): over TLS, trusting that alone.
  explicit HttpClient(const std::string& address, const std::string& ca = "");
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Connected, and over TLS with a certificate of `ca`.
  bool connected() const { return connected_; }
  // The subject of the server's certificate ("/CN=a"); empty without TLS.
  std::string server() const { return stream_.PeerSubject(); }

  // Bytes as they are. False: the server has closed the connection.
  bool Send(std::string_view bytes) { return stream_.Write(bytes); }
  // Nothing more will be sent; answers can still come. Without TLS only.
  void EndSending();
  // The next answer; nullopt: the connection ended before it was complete.
  std::optional<HttpAnswer> Receive();
  // A whole request and its answer.
  std::optional<HttpAnswer> Post(const std::string& path, std::string_view body,
                                 const std::string& content_type = "application/json");
  std::optional<HttpAnswer> Get(const std::string& path);
  // Whether the server closes the connection, whatever it sends before.
  bool AwaitClose();

 private:
  const int fd_;
  SocketStream stream_;
  ssl_ctx_st* tls_ = nullptr;
  bool connected_ = false;
};

}  // namespace ballast::support
