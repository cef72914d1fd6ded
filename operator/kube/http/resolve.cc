#include "operator/kube/http/resolve.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "operator/os/thread_name.h"

namespace ballast::kube {
namespace {

using Addresses = std::vector<std::string>;

struct PendingLookup {
  std::mutex mutex;  // guards: result
  std::condition_variable_any wake;
  std::optional<Result<Addresses>> result;
};

// The lookups under way, by host.
struct Lookups {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<PendingLookup>> running;
};

// Never destroyed: a lookup may outlast main().
Lookups& AllLookups() {
  static auto* const all = new Lookups;
  return *all;
}

bool IsAddress(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

Result<Addresses> AskSystem(const std::string& host) {
  const addrinfo hints{.ai_flags = AI_ADDRCONFIG, .ai_socktype = SOCK_STREAM};
  addrinfo* first = nullptr;
  if (const int problem = getaddrinfo(host.c_str(), nullptr, &hints, &first); problem != 0) {
    return Error{Code::kUnavailable, "cannot resolve " + host + ": " + gai_strerror(problem)};
  }
  Addresses addresses;
  for (const addrinfo* info = first; info != nullptr; info = info->ai_next) {
    char text[NI_MAXHOST];
    if (getnameinfo(info->ai_addr, info->ai_addrlen, text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) == 0 &&
        std::find(addresses.begin(), addresses.end(), text) == addresses.end()) {
      addresses.emplace_back(text);
    }
  }
  freeaddrinfo(first);
  if (addresses.empty()) {
    return Error{Code::kUnavailable, "cannot resolve " + host + ": it has no address"};
  }
  return addresses;
}

void Run(const std::string& host, const std::shared_ptr<PendingLookup>& lookup) {
  os::NameThisThread("resolve");
  Result<Addresses> result = AskSystem(host);
  {
    Lookups& all = AllLookups();
    const std::lock_guard lock(all.mutex);
    all.running.erase(host);
  }
  const std::lock_guard lock(lookup->mutex);
  lookup->result = std::move(result);
  lookup->wake.notify_all();
}

std::shared_ptr<PendingLookup> Join(const std::string& host) {
  Lookups& all = AllLookups();
  const std::lock_guard lock(all.mutex);
  std::shared_ptr<PendingLookup>& lookup = all.running[host];
  if (lookup == nullptr) {
    lookup = std::make_shared<PendingLookup>();
    std::thread(Run, host, lookup).detach();
  }
  return lookup;
}

}  // namespace

Result<std::vector<std::string>> Resolve(const std::string& host,
                                         std::chrono::steady_clock::time_point deadline,
                                         std::stop_token stop) {
  if (IsAddress(host)) {
    return Addresses{host};
  }
  const std::shared_ptr<PendingLookup> lookup = Join(host);
  std::unique_lock lock(lookup->mutex);
  if (!lookup->wake.wait_until(lock, std::move(stop), deadline,
                               [&] { return lookup->result.has_value(); })) {
    return Error{Code::kUnavailable, "cannot resolve " + host + ": no answer in time"};
  }
  return *lookup->result;
}

}  // namespace ballast::kube
