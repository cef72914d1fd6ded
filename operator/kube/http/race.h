// Connects to the first of several addresses that answers: if an attempt has not succeeded within
// 250 ms, the next address is tried beside it (as in RFC 8305), so that a dead address costs
// little. Include it only in sources that precompile Beast.
//
// Thread-safety: none; everything runs on the executor, which runs one thing at a time.
// Errors: kUnavailable by Run().
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/net/beast.h"

namespace ballast::kube {

class Race {
 public:
  using Executor = boost::asio::any_io_executor;
  using Tcp = boost::asio::ip::tcp;

  explicit Race(const Executor& executor) : state_(std::make_shared<RaceState>(executor)) {}

  // Call it once. kUnavailable: no address answered by the deadline, or Close() was called.
  boost::asio::awaitable<Result<Tcp::socket>> Run(std::vector<std::string> addresses,
                                                  std::uint16_t port,
                                                  std::chrono::steady_clock::time_point deadline);
  void Close();

 private:
  // Attempts that lost keep it alive after the race.
  struct RaceState {
    explicit RaceState(const Executor& executor) : changed(executor) {}
    boost::asio::steady_timer changed;  // cancelled when an attempt ends
    std::list<Tcp::socket> sockets;
    std::optional<Tcp::socket> winner;
    boost::system::error_code problem;  // of the last attempt that failed
    std::size_t running = 0;
    bool closed = false;
  };
  static boost::asio::awaitable<void> Attempt(std::shared_ptr<RaceState> state,
                                              Tcp::endpoint endpoint);

  const std::shared_ptr<RaceState> state_;
};

}  // namespace ballast::kube
