#include "operator/kube/connection.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "operator/kube/beast_message.h"
#include "operator/kube/tls.h"

namespace ballast::kube {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;

// Lets the kernel detect a vanished peer even while nothing is sent.
void WatchPeer(tcp::socket& socket) {
  const auto set = [fd = socket.native_handle()](int level, int name, int value) {
    setsockopt(fd, level, name, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

// As StepFailed, but always kUnavailable: the server was not reached.
Error Unreached(const char* step, const error_code& problem) {
  return {Code::kUnavailable, StepFailed(step, problem).message};
}

}  // namespace

Error StepFailed(const char* step, const error_code& problem) {
  const bool silent = problem == beast::error::timeout;
  return {silent ? Code::kTimeout : Code::kUnavailable,
          std::string(step) + ": " + (silent ? "nothing came in time" : problem.message())};
}

Connection::SteadyTime Connection::StepDeadline() const {
  return std::min(std::chrono::steady_clock::now() + patience_, deadline_);
}

void Connection::Close() {
  race_.Close();
  if (plain_ || tls_) {
    socket().close();
  }
}

Connection::Awaitable<Status> Connection::Open() {
  if (server_.endpoint.tls) {
    tls_context_.emplace(net::ssl::context::tls_client);
    if (Status status =
            ConfigureTls(tls_context_->native_handle(), server_.config, server_.ExpectedName());
        !status.ok()) {
      co_return status;
    }
  }
  Status status = co_await ConnectTcp();
  if (status.ok() && tls_ && server_.proxy) {
    status = co_await OpenTunnel();
  }
  if (status.ok() && tls_) {
    status = co_await Handshake();
  }
  co_return status;
}

// Connects to the server, or to the proxy in front of it.
Connection::Awaitable<Status> Connection::ConnectTcp() {
  const Endpoint& endpoint = server_.proxy ? *server_.proxy : server_.endpoint;
  const auto addresses = server_.resolve(endpoint.host, StepDeadline(), stop_);
  if (!addresses.ok()) {
    co_return addresses.error();
  }
  auto socket = co_await race_.Run(*addresses, endpoint.PortNumber(), StepDeadline());
  if (!socket.ok()) {
    co_return socket.error();
  }
  WatchPeer(*socket);
  if (tls_context_) {
    tls_.emplace(std::move(*socket), *tls_context_);
  } else {
    plain_.emplace(std::move(*socket));
  }
  co_return Done{};
}

// Has the proxy open a tunnel to the server.
Connection::Awaitable<Status> Connection::OpenTunnel() {
  const std::string authority = server_.endpoint.Authority();
  http::request<http::empty_body> message(http::verb::connect, authority, 11);
  message.set(http::field::host, authority);
  message.set(http::field::user_agent, server_.user_agent);
  error_code problem;
  socket().expires_at(StepDeadline());
  co_await http::async_write(socket(), message, net::redirect_error(net::use_awaitable, problem));
  http::response_parser<http::empty_body> answer;
  answer.skip(true);
  if (!problem) {
    beast::flat_static_buffer<kMaxHeader> buffer;
    co_await http::async_read_header(socket(), buffer, answer,
                                     net::redirect_error(net::use_awaitable, problem));
  }
  if (problem) {
    co_return Unreached("the proxy does not answer", problem);
  }
  if (http::to_status_class(answer.get().result_int()) != http::status_class::successful) {
    co_return Error{Code::kUnavailable,
                    "the proxy refuses: HTTP " + std::to_string(answer.get().result_int())};
  }
  co_return Done{};
}

Connection::Awaitable<Status> Connection::Handshake() {
  tls_->set_verify_mode(server_.config.insecure_skip_tls_verify ? net::ssl::verify_none
                                                                : net::ssl::verify_peer);
  error_code problem;
  socket().expires_at(StepDeadline());
  co_await tls_->async_handshake(net::ssl::stream_base::client,
                                 net::redirect_error(net::use_awaitable, problem));
  if (problem) {
    co_return Unreached("TLS handshake", problem);
  }
  co_return Done{};
}

}  // namespace ballast::kube
