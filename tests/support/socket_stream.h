// The bytes of one connection as client and server of the tests read and write them: plain, or over
// TLS once a handshake was made.
//
// Everything blocks, as long as the socket's own time-outs allow. The socket is the caller's.
// Thread-safety: one thread.
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

  // The handshake of a client, of a server. False: it failed.
  bool Connect(ssl_ctx_st* tls);
  bool Accept(ssl_ctx_st* tls);
  // The subject of the peer's certificate ("/CN=a"); empty without one.
  std::string PeerSubject() const;
  // The name that the client asked for (SNI); empty without one.
  std::string ServerName() const;

  // False: the peer is gone.
  bool Write(std::string_view bytes);
  // Everything before the next blank line, with its last line's end; nullopt: it does not come.
  std::optional<std::string> ReadHead();
  // The next `size` bytes; nullopt: they do not come.
  std::optional<std::string> ReadBody(std::size_t size);
  // Reads until the peer closes, or says nothing for as long as the socket allows.
  void ReadToEnd();

 private:
  bool ReadMore();

  const int fd_;
  ssl_st* ssl_ = nullptr;
  std::string received_;
};

}  // namespace ballast::support
