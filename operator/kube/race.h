// Connects to that of several addresses which answers first: the next one is tried beside those
// before it when they have not answered for a moment (as in RFC 8305), so that one that is dead
// costs little. Includes Beast, so only sources that have it precompiled include this.
//
// Thread-safety: none; all runs on the context's one thread.
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
  using Context = boost::asio::io_context;
  using Tcp = boost::asio::ip::tcp;

  explicit Race(Context& context) : context_(context), state_(std::make_shared<State>(context)) {}

  // kUnavailable: none answered by the deadline, or Close() was called.
  boost::asio::awaitable<Result<Tcp::socket>> Run(std::vector<std::string> addresses,
                                                  std::uint16_t port,
                                                  std::chrono::steady_clock::time_point deadline);
  void Close();

 private:
  // Outlives the race in those who lost it.
  struct State {
    explicit State(Context& context) : changed(context) {}
    boost::asio::steady_timer changed;  // cancelled when an attempt has ended
    std::list<Tcp::socket> sockets;
    std::optional<Tcp::socket> winner;
    boost::system::error_code problem;  // of the last that failed
    std::size_t running = 0;
    bool closed = false;
  };
  static boost::asio::awaitable<void> Attempt(std::shared_ptr<State> state, Tcp::endpoint endpoint);

  Context& context_;
  const std::shared_ptr<State> state_;
};

}  // namespace ballast::kube
