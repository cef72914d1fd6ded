#include "operator/net/http_server.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "api/base/digit.h"
#include "operator/net/beast.h"
#include "operator/net/request_reader.h"
#include "operator/os/thread_name.h"

namespace ballast::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::use_awaitable;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

constexpr std::size_t kChunk = 16 * 1024;
constexpr std::size_t kShortBody = 64 * 1024;
constexpr int kLongBodies = 4;
// How long to discard what a refused client still sends, so that it gets to read the response.
constexpr std::chrono::milliseconds kLinger{500};
constexpr std::chrono::milliseconds kAcceptPause{100};  // if no file descriptor is left

// "HOST:PORT", ":PORT", "[V6]:PORT".
Result<tcp::endpoint> ParseAddress(const std::string& text) {
  const Error invalid{Code::kInvalid, "\"" + text +
                                          "\" is no address to listen on; write an IP address and "
                                          "a port, as in 127.0.0.1:8080 or [::1]:8080, or :8080"};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    return invalid;
  }
  std::string host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return invalid;
  }
  const std::string port_text = text.substr(colon + 1);
  const int port = port_text.size() <= 5 && IsAllDigits(port_text) ? std::stoi(port_text) : -1;
  error_code problem;
  const auto ip = host.empty() ? asio::ip::address() : asio::ip::make_address(host, problem);
  if (port < 0 || port > 65535 || problem) {
    return invalid;
  }
  const auto number = static_cast<unsigned short>(port);
  return host.empty() ? tcp::endpoint(tcp::v6(), number) : tcp::endpoint(ip, number);
}

}  // namespace

// Everything below except handlers runs on the one thread of `context_`.
class HttpServer::Core {
 public:
  Core(HttpHandler handler, HttpServerOptions options)
      : handler_(std::move(handler)),
        options_(std::move(options)),
        workers_(Pool("work", options_.workers)),
        acceptor_(context_),
        grace_(context_) {
    if (options_.body_limit > kShortBody) {
      const os::NameForNewThreads name(options_.name + "-long");
      long_worker_.emplace(1);
    }
  }

  ~Core() { Stop({}, {}); }

  Status Listen(const tcp::endpoint& endpoint) {
    error_code problem;
    acceptor_.open(endpoint.protocol(), problem);
    if (problem == asio::error::address_family_not_supported &&
        endpoint.address().is_unspecified()) {
      return Listen(tcp::endpoint(tcp::v4(), endpoint.port()));
    }
    const auto step = [&problem](auto call) {
      if (!problem) {
        call();
      }
    };
    step([&] { acceptor_.set_option(tcp::acceptor::reuse_address(true), problem); });
    step([&] { acceptor_.bind(endpoint, problem); });
    step([&] { acceptor_.listen(asio::socket_base::max_listen_connections, problem); });
    tcp::endpoint taken;
    step([&] { taken = acceptor_.local_endpoint(problem); });
    if (problem) {
      const Code code = problem == asio::error::address_in_use  ? Code::kConflict
                        : problem == asio::error::access_denied ? Code::kForbidden
                                                                : Code::kInvalid;
      return Error{code, "cannot listen: " + problem.message()};
    }
    const std::string host = taken.address().to_string();
    address_ =
        (taken.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(taken.port());
    asio::co_spawn(context_, Accept(), asio::detached);
    thread_ = std::thread([this] {
      os::NameThisThread(options_.name + "-io");
      context_.run();
    });
    return Done{};
  }

  const std::string& address() const { return address_; }

  void Stop(std::chrono::milliseconds grace, std::chrono::milliseconds drain) {
    if (!thread_.joinable()) {
      return;
    }
    asio::post(context_, [this, grace, drain] {
      draining_ = true;
      asio::co_spawn(context_, End(grace, drain), asio::detached);
    });
    thread_.join();
    workers_.join();
    if (long_worker_) {
      long_worker_->join();
    }
  }

 private:
  asio::thread_pool Pool(const std::string& what, std::size_t threads) const {
    const os::NameForNewThreads name(options_.name + "-" + what);
    return asio::thread_pool(threads);
  }

  // A connection while it is served.
  struct Peer {
    beast::tcp_stream& socket;
    bool answered = false;  // at least once
    bool at_handler = false;
  };

  // Takes one of the counted places until it is destroyed.
  class ConnectionPermit {
   public:
    explicit ConnectionPermit(int& free) : free_(free) { --free_; }
    ~ConnectionPermit() { ++free_; }
    ConnectionPermit(const ConnectionPermit&) = delete;
    ConnectionPermit& operator=(const ConnectionPermit&) = delete;

   private:
    int& free_;
  };

  asio::awaitable<void> Accept() {
    while (acceptor_.is_open()) {
      error_code problem;
      tcp::socket socket =
          co_await acceptor_.async_accept(asio::redirect_error(use_awaitable, problem));
      if (problem && acceptor_.is_open()) {
        asio::steady_timer pause(context_, kAcceptPause);
        co_await pause.async_wait(asio::redirect_error(use_awaitable, problem));
      } else if (!problem && MakeRoom()) {
        asio::co_spawn(context_, Serve(std::move(socket)), asio::detached);
      }
    }
  }

  asio::awaitable<void> End(std::chrono::milliseconds grace, std::chrono::milliseconds drain) {
    error_code ignored;
    grace_.expires_after(drain);
    co_await grace_.async_wait(asio::redirect_error(use_awaitable, ignored));
    acceptor_.close(ignored);
    if (!peers_.empty()) {
      grace_.expires_after(grace);
      co_await grace_.async_wait(asio::redirect_error(use_awaitable, ignored));
    }
    for (Peer* peer : peers_) {
      if (!peer->at_handler) {
        peer->socket.close();
      }
    }
  }

  bool MakeRoom() {
    if (peers_.size() < options_.max_connections) {
      return true;
    }
    const auto idle = [](const Peer* peer) { return !peer->at_handler; };
    auto idler = std::find_if(peers_.begin(), peers_.end(),
                              [&](const Peer* peer) { return idle(peer) && !peer->answered; });
    if (idler == peers_.end()) {
      idler = std::find_if(peers_.begin(), peers_.end(), idle);
    }
    if (idler == peers_.end()) {
      return false;
    }
    (*idler)->socket.close();
    peers_.erase(idler);
    return true;
  }

  asio::awaitable<void> Serve(tcp::socket socket) {
    try {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      if (options_.identity == nullptr) {
        beast::tcp_stream stream(std::move(socket));
        co_await Attend(stream);
        co_return;
      }
      const std::shared_ptr<SSL_CTX> identity = options_.identity->context();
      if (identity == nullptr) {
        co_return;
      }
      SSL_CTX_up_ref(identity.get());
      asio::ssl::context tls(identity.get());
      TlsStream stream(std::move(socket), tls);
      co_await Attend(stream);
    } catch (const std::exception&) {
      // Out of memory, or a defect: ends this connection and no other.
    }
  }

  template <typename Stream>
  asio::awaitable<void> Attend(Stream& stream) {
    Peer peer{beast::get_lowest_layer(stream)};
    peers_.push_back(&peer);
    std::exception_ptr failure;
    try {
      if (co_await Handshake(stream)) {
        co_await Talk(stream, peer);
      }
    } catch (...) {
      failure = std::current_exception();
    }
    peers_.remove(&peer);
    if (!acceptor_.is_open() && peers_.empty()) {
      grace_.cancel();
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  asio::awaitable<bool> Handshake(beast::tcp_stream&) { co_return true; }

  asio::awaitable<bool> Handshake(TlsStream& stream) {
    error_code problem;
    beast::get_lowest_layer(stream).expires_after(options_.handshake_timeout);
    co_await stream.async_handshake(asio::ssl::stream_base::server,
                                    asio::redirect_error(use_awaitable, problem));
    co_return !problem;
  }

  // Alternates requests and responses until one side ends the connection.
  template <typename Stream>
  asio::awaitable<void> Talk(Stream& stream, Peer& peer) {
    beast::flat_buffer buffer(options_.header_limit + kChunk);
    bool keep_alive = true;
    while (keep_alive) {
      if (buffer.size() == 0 && !co_await AwaitFirst(stream, buffer, peer)) {
        co_return;
      }
      const process::SteadyTime began = options_.clock->Steady();
      beast::get_lowest_layer(stream).expires_after(options_.request_timeout);
      std::optional<ConnectionPermit> place;  // until the response is sent
      Received received = co_await Read(stream, buffer, place);
      HttpResponse answer;
      if (received.request) {
        peer.at_handler = true;
        answer = co_await Handle(*received.request, began, place.has_value());
      } else if (received.refusal) {
        answer = std::move(*received.refusal);
      } else {
        co_return;
      }
      keep_alive = received.keep_alive && !draining_;
      if (!co_await Write(stream, answer, keep_alive, received.is_head)) {
        co_return;
      }
      peer.answered = true;
      peer.at_handler = false;
      const auto mine = std::find(peers_.begin(), peers_.end(), &peer);
      peers_.splice(peers_.end(), peers_, mine, mine == peers_.end() ? mine : std::next(mine));
    }
    co_await Linger(beast::get_lowest_layer(stream));
  }

  // Waits for the first bytes of a request; false if none came.
  template <typename Stream>
  asio::awaitable<bool> AwaitFirst(Stream& stream, beast::flat_buffer& buffer, const Peer& peer) {
    beast::get_lowest_layer(stream).expires_after(peer.answered ? options_.idle_timeout
                                                                : options_.request_timeout);
    co_return co_await ReadMore(stream, buffer);
  }

  // False if the peer is gone or silent for too long.
  template <typename Stream>
  asio::awaitable<bool> ReadMore(Stream& stream, beast::flat_buffer& buffer) {
    error_code problem;
    const std::size_t size = co_await stream.async_read_some(
        buffer.prepare(kChunk), asio::redirect_error(use_awaitable, problem));
    buffer.commit(size);
    co_return !problem;
  }

  // Reads one request, whose first bytes are in the buffer. Takes a place if the body is long.
  template <typename Stream>
  asio::awaitable<Received> Read(Stream& stream, beast::flat_buffer& buffer,
                                 std::optional<ConnectionPermit>& place) {
    RequestReader reader({.header = options_.header_limit, .body = options_.body_limit});
    while (true) {
      const auto pending = buffer.data();
      buffer.consume(reader.Take({static_cast<const char*>(pending.data()), pending.size()}));
      if (reader.body_size() > kShortBody && !place) {
        if (long_bodies_ == 0) {
          co_return Received{.refusal = Refuse(503, "too many long requests at once; try again")};
        }
        place.emplace(long_bodies_);
      }
      if (reader.finished()) {
        co_return reader.Finish();
      }
      if (!co_await ReadMore(stream, buffer)) {
        co_return Received();  // no one is left to read a response
      }
    }
  }

  asio::awaitable<HttpResponse> Handle(HttpRequest& request, process::SteadyTime began,
                                       bool is_long) {
    if (in_flight_ == 0) {
      co_return Refuse(503, "too many requests at once; try again");
    }
    const ConnectionPermit place(in_flight_);
    co_return co_await asio::co_spawn(is_long ? *long_worker_ : workers_, Call(request, began),
                                      use_awaitable);
  }

  // Runs on a worker thread.
  asio::awaitable<HttpResponse> Call(HttpRequest& request, process::SteadyTime began) const {
    request.waited =
        std::chrono::duration_cast<std::chrono::milliseconds>(options_.clock->Steady() - began);
    try {
      co_return handler_(request);
    } catch (const std::exception&) {
      co_return Refuse(500, "the request could not be handled");
    }
  }

  template <typename Stream>
  asio::awaitable<bool> Write(Stream& stream, HttpResponse& answer, bool keep_alive, bool is_head) {
    http::response<http::string_body> message(static_cast<http::status>(answer.status), 11);
    message.set(http::field::content_type, answer.content_type);
    message.keep_alive(keep_alive);
    message.content_length(answer.body.size());
    if (!is_head) {
      message.body() = std::move(answer.body);
    }
    error_code problem;
    beast::get_lowest_layer(stream).expires_after(options_.request_timeout);
    co_await http::async_write(stream, message, asio::redirect_error(use_awaitable, problem));
    co_return !problem;
  }

  // Closing with unread input would reset the connection and lose the response.
  asio::awaitable<void> Linger(beast::tcp_stream& socket) {
    error_code problem;
    socket.socket().shutdown(tcp::socket::shutdown_send, problem);
    socket.expires_after(kLinger);
    const auto chunk = std::make_unique_for_overwrite<std::array<char, kChunk>>();
    while (!problem) {
      co_await socket.async_read_some(asio::buffer(*chunk),
                                      asio::redirect_error(use_awaitable, problem));
    }
  }

  const HttpHandler handler_;
  const HttpServerOptions options_;
  asio::io_context context_{1};
  asio::thread_pool workers_;
  std::optional<asio::thread_pool> long_worker_;  // only if body_limit allows long requests
  tcp::acceptor acceptor_;
  asio::steady_timer grace_;
  std::string address_;
  std::thread thread_;
  std::list<Peer*> peers_;  // least recently answered first
  int long_bodies_ = kLongBodies;
  int in_flight_ = static_cast<int>(options_.max_in_flight);
  bool draining_ = false;
};

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address,
                                                      HttpHandler handler,
                                                      HttpServerOptions options) {
  ASSIGN_OR_RETURN(const tcp::endpoint endpoint, ParseAddress(address));
  auto core = std::make_unique<Core>(std::move(handler), std::move(options));
  if (const Status status = core->Listen(endpoint); !status.ok()) {
    return status.error().In(address);
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

HttpServer::HttpServer(std::unique_ptr<Core> core) : core_(std::move(core)) {}
HttpServer::~HttpServer() = default;

const std::string& HttpServer::address() const { return core_->address(); }
void HttpServer::Stop(std::chrono::milliseconds grace, std::chrono::milliseconds drain) {
  core_->Stop(grace, drain);
}

}  // namespace ballast::net
