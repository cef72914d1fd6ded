#include "operator/kube/http/find_address.h"

#include <exception>
#include <optional>
#include <vector>

#include "operator/kube/http/race.h"

namespace ballast::kube {
namespace {

namespace net = boost::asio;

// Takes the address of the winning connection, which is then closed.
Result<std::string> Winner(const std::vector<std::string>& addresses, std::uint16_t port,
                           std::chrono::steady_clock::time_point deadline) {
  net::io_context context(1);
  Race race(context.get_executor());
  std::optional<Result<std::string>> winner;
  const auto run = [&]() -> net::awaitable<void> {
    const auto socket = co_await race.Run(addresses, port, deadline);
    winner = socket.ok() ? Result<std::string>(socket->remote_endpoint().address().to_string())
                         : socket.error();
  };
  net::co_spawn(context, run, net::detached);
  context.run();
  return winner.value_or(Error{Code::kUnavailable, "cannot connect"});
}

}  // namespace

Result<std::string> FindAddress(const ApiEndpoint& server,
                                std::chrono::steady_clock::time_point deadline,
                                const std::stop_token& stop) {
  const Endpoint& endpoint = server.proxy ? *server.proxy : server.endpoint;
  ASSIGN_OR_RETURN(const auto addresses, server.resolve(endpoint.host, deadline, stop));
  if (addresses.size() == 1) {
    return addresses.front();
  }
  try {
    return Winner(addresses, endpoint.PortNumber(), deadline);
  } catch (const std::exception& problem) {
    return Error{Code::kUnavailable, std::string("cannot connect: ") + problem.what()};
  }
}

}  // namespace ballast::kube
