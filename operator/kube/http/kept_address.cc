#include "operator/kube/http/kept_address.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

#include "operator/net/beast.h"

namespace ballast::kube {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::minutes kLookEvery{1};
// For an address beside which there are others. The kernel repeats what got lost after a second.
constexpr std::chrono::seconds kPatience{2};

bool Accepts(const std::string& address, std::uint16_t port, Steady::duration patience) {
  try {
    net::io_context io(1);
    net::ip::tcp::socket socket(io);
    error_code problem = net::error::timed_out;
    socket.async_connect({net::ip::make_address(address), port},
                         [&problem](const error_code& done) { problem = done; });
    io.run_for(patience);
    return !problem;
  } catch (const std::exception&) {  // no more files
    return false;
  }
}

// The only one, or the first that accepts a connection.
Result<std::string> Choose(const std::vector<std::string>& addresses, const Endpoint& server,
                           Steady::time_point deadline, const std::stop_token& stop) {
  if (addresses.size() == 1) {
    return addresses.front();
  }
  for (auto left = std::ssize(addresses); left > 0 && !stop.stop_requested(); --left) {
    const std::string& address = *(addresses.end() - left);
    const Steady::duration share = (deadline - Steady::now()) / left;
    if (Accepts(address, server.PortNumber(), std::min<Steady::duration>(share, kPatience))) {
      return address;
    }
  }
  return Error{Code::kUnavailable,
               "cannot connect: no address of " + server.host + " accepts a connection"};
}

}  // namespace

Result<KeptAddress::Address> KeptAddress::Get(Steady::time_point deadline,
                                              const std::stop_token& stop) {
  Address former;
  {
    const std::lock_guard lock(mutex_);
    if (!kept_.text.empty() && clock_.Steady() < look_again_) {
      return kept_;
    }
    former = kept_;
    look_again_ = clock_.Steady() + kLookEvery;  // meanwhile others use what there is
  }
  // Whoever has an address leaves time for the call where the resolver hangs.
  const auto until = former.text.empty() ? deadline : std::min(deadline, Steady::now() + kPatience);
  const auto addresses = resolve_(server_.host, until, stop);
  if (!former.text.empty()) {
    // A resolver that fails says nothing.
    if (!addresses.ok() || std::ranges::find(*addresses, former.text) != addresses->end()) {
      return former;
    }
    Forget(former.text);
  }
  TRY(addresses);
  ASSIGN_OR_RETURN(const std::string chosen, Choose(*addresses, server_, deadline, stop));
  const std::lock_guard lock(mutex_);
  if (kept_.text.empty()) {  // nobody was quicker
    kept_ = {chosen, addresses->size() > 1 ? kPatience : Address().patience};
  }
  return kept_;
}

void KeptAddress::Forget(const std::string& address) {
  const std::lock_guard lock(mutex_);
  if (kept_.text == address) {
    kept_ = {};
  }
}

}  // namespace ballast::kube
