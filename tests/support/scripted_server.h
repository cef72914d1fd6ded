// An HTTP server on loopback that does what the test says, also what no server should: stop in the
// middle of a line, say nothing, break off. Plain, or over TLS.
//
// It listens on 127.0.0.1, or on ::1 where a test asks for that.
// One thread for each connection; the handler runs there, once for each request. The destructor
// breaks all connections off and waits for the handlers.
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
  std::string target;                          // path and query, escaped
  std::map<std::string, std::string> headers;  // names in lower case; of equal ones the last
  std::vector<std::pair<std::string, std::string>> header_lines;  // all, in their order
  std::string body;
  std::string client;       // the subject of the client's certificate ("/CN=robot"), if any
  std::string server_name;  // that the client asked for in its hello, if any
};

class HttpConnection {
 public:
  HttpConnection(int fd, ssl_ctx_st* tls);
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // A whole answer; `headers` are lines with their ends ("Retry-After: 1\r\n").
  void Respond(int status, std::string_view body, std::string_view headers = {});
  // A chunked answer: its head, parts of its body as they come, its end.
  void BeginStream();
  void Send(std::string_view part);
  void EndStream();
  // Bytes as they are.
  void Write(std::string_view bytes) { stream_.Write(bytes); }
  // As a proxy that was asked to CONNECT: agrees, and passes bytes on to "127.0.0.1:PORT" and back
  // until one side closes.
  void Tunnel(const std::string& target);
  // Waits until the peer has closed the connection or the server is destroyed.
  void AwaitClose() { stream_.ReadToEnd(); }
  // Whether the peer has closed the connection, or the server is being destroyed.
  bool closed() const;
  // Ends the connection, whatever the peer expects.
  void Break();

 private:
  friend class HttpServer;
  std::optional<HttpRequest> ReadRequest();

  const int fd_;
  SocketStream stream_;
};

struct HttpServerTls {
  KeyPair identity;
  std::string client_ca;  // PEM; when set, clients must have a certificate of it
};

// Whether this machine has that address.
bool HasAddress(const std::string& address);

class HttpServer {
 public:
  using Handler = std::function<void(const HttpRequest& request, HttpConnection& connection)>;

  explicit HttpServer(Handler handler, const std::optional<HttpServerTls>& tls = {},
                      const std::string& address = "127.0.0.1");
  ~HttpServer();

  // "http://127.0.0.1:PORT", "http://[::1]:PORT", or https.
  std::string url() const { return url(host_); }
  // With another host.
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
