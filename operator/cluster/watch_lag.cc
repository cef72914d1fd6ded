#include "operator/cluster/watch_lag.h"

#include <algorithm>
#include <chrono>

namespace ballast::cluster {
namespace {

constexpr std::chrono::seconds kLagTimeout{10};
constexpr std::chrono::hours kIgnored{1};

}  // namespace

bool IsBehind(process::SteadyTime since, process::SteadyTime read_at, process::SteadyTime now) {
  const std::chrono::seconds wait = read_at > since ? kIgnored : kLagTimeout;
  return now - std::max(since, read_at) >= wait;
}

}  // namespace ballast::cluster
