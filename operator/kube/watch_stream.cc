#include "operator/kube/watch_stream.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "operator/kube/headers.h"
#include "operator/kube/line_framer.h"
#include "operator/kube/status_error.h"
#include "operator/kube/tls.h"
#include "operator/net/beast.h"

namespace ballast::kube {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using boost::system::error_code;
using tcp = net::ip::tcp;

constexpr std::chrono::seconds kConnectTimeout{10};
constexpr std::size_t kBufferBytes = 64 * 1024;
constexpr std::size_t kMaxLine = 16 * 1024 * 1024;
constexpr std::uint32_t kMaxHeader = 64 * 1024;
constexpr std::size_t kMaxErrorBody = 64 * 1024;

Error Failed(const char* step, const error_code& problem) {
  const bool silent = problem == beast::error::timeout;
  return {silent ? Code::kTimeout : Code::kUnavailable,
          std::string(step) + ": " + (silent ? "nothing came in time" : problem.message())};
}

// The kernel finds a vanished peer out even while nothing is said.
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

http::request<http::empty_body> Compose(const Server& server, const StreamCall& call) {
  std::string target = PrintTarget(server.endpoint, call.request);
  if (server.proxy && !server.endpoint.tls) {
    target = "http://" + server.endpoint.Authority() + target;  // for the proxy to pass on
  }
  http::request<http::empty_body> message(http::verb::get, target, 11);
  message.set(http::field::host, server.config.tls_server_name.empty()
                                     ? server.endpoint.Authority()
                                     : server.config.tls_server_name);
  for (const auto& [name, value] : server.Headers(call.request, call.token)) {
    message.insert(name, value);
  }
  return message;
}

// One stream over a connected Stream: plain TCP or TLS.
template <typename Stream>
class Reader {
 public:
  Reader(Stream& stream, const StreamCall& call)
      : stream_(stream), call_(call), silence_(call.request.timeout) {
    // Not boost::none: in Boost 1.74 any Content-Length exceeds that.
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());
    parser_.header_limit(kMaxHeader);
  }

  net::awaitable<Status> Run(const http::request<http::empty_body>& message) {
    error_code problem;
    beast::get_lowest_layer(stream_).expires_after(silence_);
    co_await http::async_write(stream_, message, net::redirect_error(net::use_awaitable, problem));
    if (problem) {
      co_return Failed("cannot send the request", problem);
    }
    co_await http::async_read_header(stream_, buffer_, parser_,
                                     net::redirect_error(net::use_awaitable, problem));
    if (problem) {
      co_return Failed("no answer", problem);
    }
    call_.on_status(static_cast<int>(parser_.get().result_int()));
    if (http::to_status_class(parser_.get().result_int()) != http::status_class::successful) {
      co_return co_await ReadError();
    }
    LineFramer framer(kMaxLine);
    while (!parser_.is_done()) {
      const std::string_view bytes = co_await ReadSome(problem);
      if (const Status status = framer.Feed(bytes, call_.sink); !status.ok()) {
        co_return status;
      }
      if (problem) {
        co_return Failed("the stream broke off", problem);
      }
    }
    co_return Done{};
  }

 private:
  // What has come, at least something unless the stream ends or breaks off.
  net::awaitable<std::string_view> ReadSome(error_code& problem) {
    parser_.get().body().data = chunk_.data();
    parser_.get().body().size = chunk_.size();
    beast::get_lowest_layer(stream_).expires_after(silence_);
    co_await http::async_read_some(stream_, buffer_, parser_,
                                   net::redirect_error(net::use_awaitable, problem));
    if (problem == http::error::need_buffer) {
      problem = {};
    }
    co_return std::string_view(chunk_.data(), chunk_.size() - parser_.get().body().size);
  }

  net::awaitable<Status> ReadError() {
    std::string body;
    error_code problem;
    while (!parser_.is_done() && !problem && body.size() < kMaxErrorBody) {
      body += co_await ReadSome(problem);
    }
    const auto& answer = parser_.get();
    Error error = ErrorFromAnswer(static_cast<int>(answer.result_int()), body);
    const auto header = answer[http::field::retry_after];
    if (const auto wait = ParseRetryAfter({header.data(), header.size()})) {
      error.retry_after = wait;
    }
    co_return error;
  }

  Stream& stream_;
  const StreamCall& call_;
  const std::chrono::milliseconds silence_;
  beast::flat_static_buffer<kBufferBytes> buffer_;
  std::array<char, kBufferBytes> chunk_;
  http::response_parser<http::buffer_body> parser_;
};

// To the server, or to the proxy before it.
net::awaitable<Status> ConnectTcp(tcp::resolver& resolver, beast::tcp_stream& stream,
                                  const Server& server, const std::stop_token& stop) {
  const Endpoint& endpoint = server.proxy ? *server.proxy : server.endpoint;
  error_code problem;
  const auto addresses = co_await resolver.async_resolve(
      endpoint.host, endpoint.port, net::redirect_error(net::use_awaitable, problem));
  if (problem) {
    co_return Failed("cannot resolve the server's name", problem);
  }
  if (stop.stop_requested()) {
    co_return Done{};
  }
  stream.expires_after(kConnectTimeout);
  co_await stream.async_connect(addresses, net::redirect_error(net::use_awaitable, problem));
  if (problem) {
    co_return Failed("cannot connect", problem);
  }
  WatchPeer(stream.socket());
  co_return Done{};
}

// Has the proxy pass everything on to the server.
net::awaitable<Status> OpenTunnel(beast::tcp_stream& stream, const Server& server) {
  const std::string authority = server.endpoint.Authority();
  http::request<http::empty_body> message(http::verb::connect, authority, 11);
  message.set(http::field::host, authority);
  message.set(http::field::user_agent, server.user_agent);
  error_code problem;
  stream.expires_after(kConnectTimeout);
  co_await http::async_write(stream, message, net::redirect_error(net::use_awaitable, problem));
  http::response_parser<http::empty_body> answer;
  answer.skip(true);
  if (!problem) {
    beast::flat_static_buffer<kMaxHeader> buffer;
    co_await http::async_read_header(stream, buffer, answer,
                                     net::redirect_error(net::use_awaitable, problem));
  }
  if (problem) {
    co_return Failed("the proxy does not answer", problem);
  }
  if (http::to_status_class(answer.get().result_int()) != http::status_class::successful) {
    co_return Error{Code::kUnavailable,
                    "the proxy refuses: HTTP " + std::to_string(answer.get().result_int())};
  }
  co_return Done{};
}

using TlsStream = beast::ssl_stream<beast::tcp_stream>;

net::awaitable<Status> Handshake(TlsStream& stream, const Server& server) {
  if (!server.ExpectsAddress()) {
    SSL_set_tlsext_host_name(stream.native_handle(), server.ExpectedName().c_str());
  }
  stream.set_verify_mode(server.config.insecure_skip_tls_verify ? net::ssl::verify_none
                                                                : net::ssl::verify_peer);
  error_code problem;
  beast::get_lowest_layer(stream).expires_after(kConnectTimeout);
  co_await stream.async_handshake(net::ssl::stream_base::client,
                                  net::redirect_error(net::use_awaitable, problem));
  if (problem) {
    co_return Failed("TLS handshake", problem);
  }
  co_return Done{};
}

net::awaitable<Status> RunPlain(tcp::resolver& resolver, beast::tcp_stream& stream,
                                const Server& server, const StreamCall& call,
                                const std::stop_token& stop) {
  const Status connected = co_await ConnectTcp(resolver, stream, server, stop);
  if (!connected.ok() || stop.stop_requested()) {
    co_return connected;
  }
  Reader<beast::tcp_stream> reader(stream, call);
  co_return co_await reader.Run(Compose(server, call));
}

net::awaitable<Status> RunTls(tcp::resolver& resolver, TlsStream& stream, const Server& server,
                              const StreamCall& call, const std::stop_token& stop) {
  const Status connected =
      co_await ConnectTcp(resolver, beast::get_lowest_layer(stream), server, stop);
  if (!connected.ok() || stop.stop_requested()) {
    co_return connected;
  }
  if (server.proxy) {
    const Status opened = co_await OpenTunnel(beast::get_lowest_layer(stream), server);
    if (!opened.ok()) {
      co_return opened;
    }
  }
  if (const Status secured = co_await Handshake(stream, server); !secured.ok()) {
    co_return secured;
  }
  Reader<TlsStream> reader(stream, call);
  co_return co_await reader.Run(Compose(server, call));
}

net::awaitable<void> Finish(net::awaitable<Status> work, std::optional<Status>& result) {
  result = co_await std::move(work);
}

// Runs `work` to its end on this thread. A stop closes the socket, which ends it.
Status RunHere(net::io_context& context, tcp::resolver& resolver, beast::tcp_stream& socket,
               net::awaitable<Status> work, const std::stop_token& stop) {
  std::optional<Status> result;
  net::co_spawn(context, Finish(std::move(work), result), net::detached);
  const std::stop_callback on_stop(stop, [&] {
    net::post(context, [&] {
      resolver.cancel();
      socket.close();
    });
  });
  context.run();
  if (stop.stop_requested() || !result) {
    return Done{};
  }
  return *result;
}

}  // namespace

Status StreamLines(const Server& server, const StreamCall& call, std::stop_token stop) {
  try {
    net::io_context context(1);
    tcp::resolver resolver(context);
    if (!server.endpoint.tls) {
      beast::tcp_stream stream(context);
      return RunHere(context, resolver, stream, RunPlain(resolver, stream, server, call, stop),
                     stop);
    }
    net::ssl::context tls(net::ssl::context::tls_client);
    TRY(ConfigureTls(tls.native_handle(), server.config, server.ExpectedName()));
    TlsStream stream(context, tls);
    return RunHere(context, resolver, beast::get_lowest_layer(stream),
                   RunTls(resolver, stream, server, call, stop), stop);
  } catch (const std::exception& problem) {
    return Error{Code::kInternal, std::string("the stream failed: ") + problem.what()};
  }
}

}  // namespace ballast::kube
