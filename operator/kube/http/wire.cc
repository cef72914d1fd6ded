#include "operator/kube/http/wire.h"

#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

namespace ballast::kube {
namespace {

namespace beast = boost::beast;
namespace net = boost::asio;
using boost::system::error_code;

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

error_code LastError() { return {errno, boost::system::system_category()}; }

// A BIO on a socket, as OpenSSL's own, but it raises no SIGPIPE, and notices when the socket has
// been closed and its number belongs to another.
int FdOf(BIO* bio) { return static_cast<Wire::Socket*>(BIO_get_data(bio))->native_handle(); }

int WriteSocket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto sent = send(FdOf(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && WouldBlock()) {
    BIO_set_retry_write(bio);
  }
  return static_cast<int>(sent);
}

int ReadSocket(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const auto got = recv(FdOf(bio), into, static_cast<std::size_t>(size), 0);
  if (got < 0 && WouldBlock()) {
    BIO_set_retry_read(bio);
  }
  return static_cast<int>(got);
}

long ControlSocket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO* MakeBio(Wire::Socket& socket) {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    BIO_meth_set_write(made, WriteSocket);
    BIO_meth_set_read(made, ReadSocket);
    BIO_meth_set_ctrl(made, ControlSocket);
    return made;
  }();
  BIO* bio = BIO_new(method);
  BIO_set_data(bio, &socket);
  BIO_set_init(bio, 1);
  return bio;
}

// Lets the kernel detect a vanished peer even while nothing is sent.
void WatchPeer(int fd) {
  const auto set = [fd](int level, int name, int value) {
    setsockopt(fd, level, name, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

int Limited(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

}  // namespace

net::awaitable<void> Wire::Connect(Socket::endpoint_type peer, error_code& problem) {
  co_await socket_.async_connect(peer, net::redirect_error(net::use_awaitable, problem));
  if (expired_) {
    problem = beast::error::timeout;
  }
  error_code ignored;
  socket_.native_non_blocking(true, ignored);
  WatchPeer(socket_.native_handle());
}

net::awaitable<void> Wire::Encrypt(SSL_CTX* context, bool verify_peer, error_code& problem) {
  ssl_.reset(SSL_new(context));
  BIO* const bio = MakeBio(socket_);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_connect_state(ssl_.get());
  SSL_set_verify(ssl_.get(), verify_peer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                               SSL_MODE_RELEASE_BUFFERS);
  for (;;) {
    ERR_clear_error();
    errno = 0;
    const Want want = WantAfter(SSL_do_handshake(ssl_.get()), problem);
    if (want == Want::kNothing) {
      co_return;
    }
    co_await WaitFor(want, problem);
    if (problem) {
      co_return;
    }
  }
}

Wire::Want Wire::WantAfter(int done, error_code& problem) const {
  switch (SSL_get_error(ssl_.get(), done)) {
    case SSL_ERROR_NONE:
      return Want::kNothing;
    case SSL_ERROR_WANT_READ:
      return Want::kInput;
    case SSL_ERROR_WANT_WRITE:
      return Want::kOutput;
    case SSL_ERROR_ZERO_RETURN:
      problem = net::error::eof;
      break;
    case SSL_ERROR_SYSCALL:
      problem = errno == 0 ? error_code(net::ssl::error::stream_truncated) : LastError();
      break;
    default:
      problem = {static_cast<int>(ERR_get_error()), net::error::get_ssl_category()};
  }
  if (expired_) {
    problem = beast::error::timeout;
  }
  return Want::kNothing;
}

void Wire::ExpireAt(SteadyTime time) {
  const unsigned number = ++times_;
  timer_.expires_at(time);  // ends the wait before
  if (time == SteadyTime::max()) {
    return;
  }
  timer_.async_wait([weak = weak_from_this(), number](const error_code& cancelled) {
    const auto wire = weak.lock();
    if (wire != nullptr && !cancelled && wire->times_ == number) {
      wire->expired_ = true;
      wire->Close();
    }
  });
}

void Wire::Close() {
  error_code ignored;
  socket_.close(ignored);
}

// Of the socket's function that has just failed.
error_code Wire::SocketError() const {
  return expired_ ? error_code(beast::error::timeout) : LastError();
}

bool Wire::IsQuiet() {
  char byte = 0;
  const auto read = recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return read < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

net::awaitable<void> Wire::WaitFor(Want want, error_code& problem) {
  co_await socket_.async_wait(want == Want::kOutput ? Socket::wait_write : Socket::wait_read,
                              net::redirect_error(net::use_awaitable, problem));
  if (expired_) {
    problem = beast::error::timeout;
  }
}

net::awaitable<void> Wire::Write(std::string_view bytes, error_code& problem) {
  while (!bytes.empty()) {
    Want want = Want::kNothing;
    bytes.remove_prefix(Send(bytes, want, problem));
    if (want != Want::kNothing) {
      co_await WaitFor(want, problem);
    }
    if (problem) {
      co_return;
    }
  }
}

std::size_t Wire::Send(std::string_view bytes, Want& want, error_code& problem) {
  errno = 0;
  if (ssl_ == nullptr) {
    const auto sent = send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      return static_cast<std::size_t>(sent);
    }
    if (WouldBlock()) {
      want = Want::kOutput;
    } else {
      problem = SocketError();
    }
    return 0;
  }
  ERR_clear_error();
  const int sent = SSL_write(ssl_.get(), bytes.data(), Limited(bytes.size()));
  want = WantAfter(sent, problem);
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

net::awaitable<void> Wire::AwaitInput(error_code& problem) {
  if (ssl_ == nullptr || SSL_pending(ssl_.get()) == 0) {
    co_await WaitFor(input_, problem);
  }
}

std::size_t Wire::Take(char* into, std::size_t size, error_code& problem) {
  errno = 0;
  if (ssl_ == nullptr) {
    const auto got = recv(socket_.native_handle(), into, size, 0);
    if (got > 0) {
      return static_cast<std::size_t>(got);
    }
    if (got == 0) {
      problem = net::error::eof;
    } else if (!WouldBlock()) {
      problem = SocketError();
    }
    return 0;
  }
  ERR_clear_error();
  const int got = SSL_read(ssl_.get(), into, Limited(size));
  const Want want = WantAfter(got, problem);
  input_ = want == Want::kOutput ? want : Want::kInput;
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace ballast::kube
