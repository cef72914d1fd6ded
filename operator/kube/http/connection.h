// A connection to an API server by Boost.Asio, for one request at a time: direct or through a
// proxy, plain or TLS. Include it only in sources that precompile Beast.
//
// Deadlines of each step and TCP (keep-alive, 30 s for unacknowledged data) detect a peer that has
// vanished.
//
// Thread-safety: none; everything runs on the executor, which runs one thing at a time, except
// Prepare().
// Errors: kUnavailable or what is wrong with the certificates.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "operator/kube/http/api_endpoint.h"
#include "operator/kube/http/wire.h"
#include "operator/net/beast.h"

namespace ballast::kube {

class Connection {
 public:
  using Executor = boost::asio::any_io_executor;
  using SteadyTime = std::chrono::steady_clock::time_point;
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  // No step of opening takes longer than `step_timeout` or continues after `deadline`.
  Connection(Executor executor, ApiEndpoint server, std::chrono::milliseconds step_timeout,
             SteadyTime deadline = SteadyTime::max())
      : executor_(std::move(executor)),
        server_(std::move(server)),
        step_timeout_(step_timeout),
        deadline_(deadline) {}

  // Finds the server's address and reads certificates: the part that blocks. Call it before Open().
  Status Prepare(const std::stop_token& stop);
  // Done: ready to send the request. On error nothing of a request was sent, and the address is
  // kept no longer: kUnavailable.
  Awaitable<Status> Open();
  bool is_open() const { return wire_ != nullptr; }
  Wire& wire() { return *wire_; }
  const ApiEndpoint& server() const { return server_; }
  // Whether it is to this server, with its client certificate.
  bool Serves(const ApiEndpoint& server) const;
  void Close();

 private:
  Awaitable<Status> ConnectTcp();
  Awaitable<Status> OpenTunnel();
  Awaitable<Status> Handshake();
  // The deadline of the step that begins now.
  SteadyTime StepDeadline() const;

  const Executor executor_;
  const ApiEndpoint server_;
  const std::chrono::milliseconds step_timeout_;
  const SteadyTime deadline_;
  KeptAddress::Address address_;
  std::shared_ptr<ssl_ctx_st> tls_;  // null: plain
  std::shared_ptr<Wire> wire_;       // null: not opened yet
};

// A Connection of the thread that calls Run, which may be another the next time.
class OwnConnection {
 public:
  OwnConnection(ApiEndpoint server, std::chrono::milliseconds step_timeout,
                Connection::SteadyTime deadline)
      : connection_(context_.get_executor(), std::move(server), step_timeout, deadline) {}

  Connection& operator*() { return connection_; }
  Connection* operator->() { return &connection_; }

  // Runs `work` to its end on this thread. Rethrows what it throws.
  template <typename T>
  T Run(Connection::Awaitable<T> work) {
    context_.restart();
    std::optional<T> result;
    std::exception_ptr thrown;
    boost::asio::co_spawn(context_, Keep(std::move(work), result),
                          [this, &thrown](std::exception_ptr exception) {
                            thrown = exception;
                            if (connection_.is_open()) {
                              connection_.wire().ExpireAt(Wire::SteadyTime::max());
                            }
                          });
    context_.run();
    if (thrown) {
      std::rethrow_exception(thrown);
    }
    return *std::move(result);
  }

 private:
  template <typename T>
  static Connection::Awaitable<void> Keep(Connection::Awaitable<T> work, std::optional<T>& result) {
    result.emplace(co_await std::move(work));
  }

  boost::asio::io_context context_{1};
  Connection connection_;
};

// The error for a failed step: kTimeout if it took too long, else kUnavailable.
Error StepFailed(const char* step, const boost::system::error_code& problem);

}  // namespace ballast::kube
