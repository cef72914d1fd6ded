// A connection and its bytes, plain or TLS. Include it only in sources that precompile Beast.
//
// While it waits it holds no buffers: it waits for the socket, and then reads into the caller's.
// (Asio's own TLS stream holds 68 KiB.)
//
// Thread-safety: none; everything runs on the socket's executor.
// Errors: out parameters; beast::error::timeout once ExpireAt's time has passed.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "operator/net/beast.h"

namespace ballast::kube {

class Wire : public std::enable_shared_from_this<Wire> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using SteadyTime = std::chrono::steady_clock::time_point;
  using ErrorCode = boost::system::error_code;
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  explicit Wire(const boost::asio::any_io_executor& executor)
      : socket_(executor), timer_(executor) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  Awaitable<void> Connect(Socket::endpoint_type peer, ErrorCode& problem);
  // Begins TLS; what was sent before was plain.
  Awaitable<void> Encrypt(SSL_CTX* context, bool verify_peer, ErrorCode& problem);

  // Closes the connection at that time; max(): never.
  void ExpireAt(SteadyTime time);
  void Close();
  // Whether the peer has neither closed it nor sent anything that is unread.
  bool IsQuiet();

  Awaitable<void> Write(std::string_view bytes, ErrorCode& problem);
  // Returns when Take() should be called.
  Awaitable<void> AwaitInput(ErrorCode& problem);
  // Reads what has arrived, without waiting. 0 without a problem: nothing that can be passed on.
  // asio::error::eof: the peer has ended it in order.
  std::size_t Take(char* into, std::size_t size, ErrorCode& problem);

 private:
  enum class Want { kNothing, kInput, kOutput };
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  // What OpenSSL's function, which returned `done`, has to wait for.
  Want WantAfter(int done, ErrorCode& problem) const;
  Awaitable<void> WaitFor(Want want, ErrorCode& problem);
  ErrorCode SocketError() const;
  std::size_t Send(std::string_view bytes, Want& want, ErrorCode& problem);

  Socket socket_;
  boost::asio::steady_timer timer_;
  unsigned times_ = 0;  // number of calls of ExpireAt()
  bool expired_ = false;
  Want input_ = Want::kInput;          // what Take() waits for
  std::unique_ptr<SSL, FreeSsl> ssl_;  // null: plain. Last: it uses the socket.
};

}  // namespace ballast::kube
