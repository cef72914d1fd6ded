// An HTTP server on loopback that behaves as the test says, including as no proper server does: it
// can stop in the middle of a line, stay silent, or break off. Plain, or over TLS.
//
// It listens on a free port of 127.0.0.1, or where a test asks for that. Each connection has a
// thread, on which the handler runs once for each request. The destructor breaks all connections
// off and waits for the handlers.
//
// Thread-safety: HttpServer: owning thread only. An HttpConnection belongs to its handler.
// Errors: the constructor aborts if it cannot listen.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/certificate_authority.h"
#include "tests/support/socket_stream.h"

struct ssl_ctx_st;

namespace ballast::support {

struct HttpRequest {
  std::string method;
  std::string target;                          // path and query, percent-encoded
  std::map<std::string, std::string> headers;  // lower-case names; the last of duplicates
  std::vector<std::pair<std::string, std::string>> header_lines;  // all, in order
  std::string body;
  std::string client;       // subject of the client certificate ("/CN=robot"), or empty
  std::string server_name;  // SNI of the client hello, or empty
};

// Percent-decoding, as a server does it.
std::string Unescape(const std::string& text);

class HttpConnection {
 public:
  HttpConnection(int fd, ssl_ctx_st* tls);
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Sends a complete answer; `headers` are lines with their CRLF ("Retry-After: 1\r\n").
  void Respond(int status, std::string_view body, std::string_view headers = {});
  // A chunked answer: its head, chunks of its body, and its end.
  void BeginStream();
  void Send(std::string_view part);
  void EndStream();
  // Sends the bytes as they are.
  void Write(std::string_view bytes) { stream_.Write(bytes); }
  // Acts as a proxy after CONNECT: accepts, and forwards bytes to and from "127.0.0.1:PORT" until
  // one side closes.
  void Tunnel(const std::string& target);
  // Waits until the peer has closed the connection or the server is destroyed.
  void AwaitClose() { stream_.ReadToEnd(); }
  // Whether the peer has closed the connection, or the server is being destroyed.
  bool closed() const;
  // Closes the connection at once.
  void Break();

 private:
  friend class HttpServer;
  std::optional<HttpRequest> ReadRequest();

  const int fd_;
  SocketStream stream_;
};

struct HttpServerTls {
  KeyPair identity;
  std::string client_ca;  // PEM; if set, clients need a certificate from it
};

// Whether this machine has that address.
bool HasAddress(const std::string& address);

class HttpServer {
 public:
  using Handler = std::function<void(const HttpRequest& request, HttpConnection& connection)>;

  explicit HttpServer(Handler handler, const std::optional<HttpServerTls>& tls = {},
                      const std::string& address = "127.0.0.1", int port = 0);
  ~HttpServer();

  // "http://127.0.0.1:PORT", "http://[::1]:PORT", or https.
  std::string url() const { return url(host_); }
  // The same with another host.
  std::string url(const std::string& host) const;
  int port() const { return port_; }

 private:
  struct Peer {
    int fd;
    std::thread thread;
  };
  void Accept();
  void Serve(int fd);

  const Handler handler_;
  ssl_ctx_st* tls_ = nullptr;
  std::string host_;
  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;  // guards: peers_
  std::list<Peer> peers_;
  std::thread acceptor_;
};

}  // namespace ballast::support
