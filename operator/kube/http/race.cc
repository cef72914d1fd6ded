#include "operator/kube/http/race.h"

#include <algorithm>
#include <utility>

namespace ballast::kube {
namespace {

namespace net = boost::asio;
using boost::system::error_code;

constexpr std::chrono::milliseconds kHeadStart{250};

}  // namespace

net::awaitable<void> Race::Attempt(std::shared_ptr<RaceState> state, Tcp::endpoint endpoint) {
  const auto socket = state->sockets.emplace(state->sockets.end(), state->changed.get_executor());
  error_code problem;
  co_await socket->async_connect(endpoint, net::redirect_error(net::use_awaitable, problem));
  --state->running;
  if (problem) {
    state->problem = problem;
  } else if (!state->winner && !state->closed) {
    state->winner = std::move(*socket);
  }
  state->sockets.erase(socket);
  state->changed.cancel();
}

net::awaitable<Result<Race::Tcp::socket>> Race::Run(
    std::vector<std::string> addresses, std::uint16_t port,
    std::chrono::steady_clock::time_point deadline) {
  RaceState& state = *state_;
  state.problem = net::error::timed_out;
  std::size_t next = 0;
  while (!state.winner && !state.closed && std::chrono::steady_clock::now() < deadline &&
         (next < addresses.size() || state.running > 0)) {
    state.changed.expires_at(deadline);
    if (next < addresses.size()) {
      state.changed.expires_at(std::min(deadline, std::chrono::steady_clock::now() + kHeadStart));
      ++state.running;
      net::co_spawn(state.changed.get_executor(),
                    Attempt(state_, {net::ip::make_address(addresses[next++]), port}),
                    net::detached);
    }
    error_code ignored;  // cancelled: an attempt has ended
    co_await state.changed.async_wait(net::redirect_error(net::use_awaitable, ignored));
  }
  std::optional<Tcp::socket> winner = std::move(state.winner);
  Close();
  if (!winner) {
    co_return Error{Code::kUnavailable,
                    "cannot connect: " + (state.running > 0 ? std::string("nothing came in time")
                                                            : state.problem.message())};
  }
  co_return std::move(*winner);
}

void Race::Close() {
  state_->closed = true;
  state_->changed.cancel();
  for (Tcp::socket& socket : state_->sockets) {
    error_code ignored;
    socket.close(ignored);
  }
}

}  // namespace ballast::kube
