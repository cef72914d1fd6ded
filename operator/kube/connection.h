// A connection to an API server by Boost.Beast, for one request: direct or through a proxy, plain
// or TLS. Include it only in sources that precompile Beast.
//
// Deadlines of each step and TCP (keep-alive, 30 s for unacknowledged data) detect a peer that has
// vanished.
//
// Thread-safety: none; everything runs on the thread that calls Run.
// Errors: Open returns kUnavailable or what is wrong with the certificates; Run rethrows.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <stop_token>
#include <utility>
#include <variant>

#include "api/base/result.h"
#include "operator/kube/race.h"
#include "operator/kube/server.h"
#include "operator/net/beast.h"

namespace ballast::kube {

class Connection {
 public:
  using Context = boost::asio::io_context;
  using PlainStream = boost::beast::tcp_stream;
  using TlsStream = boost::beast::ssl_stream<PlainStream>;
  using SteadyTime = std::chrono::steady_clock::time_point;
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  // `server` must outlive the Connection. No step of Open() takes longer than `patience` or
  // continues after `deadline`.
  Connection(const Server& server, std::chrono::milliseconds patience,
             SteadyTime deadline = SteadyTime::max())
      : server_(server), patience_(patience), deadline_(deadline) {}

  // Done: ready to send the request. On error nothing of a request was sent: kUnavailable, or the
  // error of reading the certificates.
  Awaitable<Status> Open();

  // Calls `talk` with the open stream, plain or TLS, and returns its result.
  template <typename T, typename Talk>
  Awaitable<T> With(Talk talk) {
    if (tls_) {
      co_return co_await talk(*tls_);
    }
    co_return co_await talk(*plain_);
  }

  // Runs `work` to its end on this thread; nullopt if `stop` was requested, which closes the
  // socket. Rethrows what `work` throws.
  template <typename T>
  std::optional<T> Run(Awaitable<T> work, const std::stop_token& stop) {
    stop_ = stop;
    std::optional<T> result;
    std::exception_ptr thrown;
    boost::asio::co_spawn(context_, Keep(std::move(work), result),
                          [&thrown](std::exception_ptr exception) { thrown = exception; });
    const std::stop_callback on_stop(stop,
                                     [this] { boost::asio::post(context_, [this] { Close(); }); });
    context_.run();
    if (thrown) {
      std::rethrow_exception(thrown);
    }
    return stop.stop_requested() ? std::nullopt : std::move(result);
  }

 private:
  template <typename T>
  static Awaitable<void> Keep(Awaitable<T> work, std::optional<T>& result) {
    result.emplace(co_await std::move(work));
  }
  Awaitable<Status> ConnectTcp();
  Awaitable<Status> OpenTunnel();
  Awaitable<Status> Handshake();
  // The socket of the open stream.
  PlainStream& socket() { return tls_ ? boost::beast::get_lowest_layer(*tls_) : *plain_; }
  // The deadline of the step that begins now.
  SteadyTime StepDeadline() const;
  void Close();

  const Server& server_;
  const std::chrono::milliseconds patience_;
  const SteadyTime deadline_;
  std::stop_token stop_;
  Context context_{1};
  Race race_{context_};
  std::optional<boost::asio::ssl::context> tls_context_;
  std::optional<PlainStream> plain_;  // exactly one of these two is set once connected
  std::optional<TlsStream> tls_;
};

// The error for a failed step: kTimeout if it took too long, else kUnavailable.
Error StepFailed(const char* step, const boost::system::error_code& problem);

}  // namespace ballast::kube
