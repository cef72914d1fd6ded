// The bytes of one connection in the test client and the test server: plain, or over TLS after a
// handshake.
//
// All calls block until the socket's own timeouts. The socket belongs to the caller.
//
// Thread-safety: one thread at a time.
// Errors: false and nullopt, as each function says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace ballast::support {

class SocketStream {
 public:
  explicit SocketStream(int fd) : fd_(fd) {}
  ~SocketStream();
  SocketStream(const SocketStream&) = delete;
  SocketStream& operator=(const SocketStream&) = delete;

  // The handshake of a client, or of a server. False: it failed.
  bool Connect(ssl_ctx_st* tls);
  bool Accept(ssl_ctx_st* tls);
  // The subject of the peer's certificate ("/CN=a"); empty without one.
  std::string PeerSubject() const;
  // The server name that the client asked for (SNI); empty without one.
  std::string ServerName() const;

  // False: the peer has gone.
  bool Write(std::string_view bytes);
  // All up to the next blank line, including the last line's CRLF; nullopt: the peer closed, or
  // timed out.
  std::optional<std::string> ReadHead();
  // The next `size` bytes; nullopt: the peer closed, or timed out.
  std::optional<std::string> ReadBody(std::size_t size);
  // Reads until the peer closes or the socket's timeout passes.
  void ReadToEnd();

 private:
  bool ReadMore();

  const int fd_;
  ssl_st* ssl_ = nullptr;
  std::string received_;
};

}  // namespace ballast::support
