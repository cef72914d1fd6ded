#include "operator/kube/http/kept_connections.h"

#include <utility>

#include "operator/kube/http/connection.h"

namespace ballast::kube {
namespace {

constexpr std::chrono::seconds kIdle{1};
constexpr std::chrono::minutes kLongest{1};

}  // namespace

KeptConnections::KeptConnections(const process::Clock& clock) : clock_(clock) {}

KeptConnections::~KeptConnections() = default;

KeptConnections::KeptConnection KeptConnections::Take(const ApiEndpoint& server) {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    Idle last = std::move(idle_.back());
    idle_.pop_back();
    Connection& connection = **last.line.connection;
    if (!IsOld(last) && connection.Serves(server) && connection.wire().IsQuiet()) {
      return std::move(last.line);
    }
  }
  return {nullptr, clock_.Steady()};
}

void KeptConnections::Keep(KeptConnection line) {
  const std::lock_guard lock(mutex_);
  idle_.push_back({std::move(line), clock_.Steady()});
}

void KeptConnections::CloseOld() {
  const std::lock_guard lock(mutex_);
  std::erase_if(idle_, [this](const Idle& idle) { return IsOld(idle); });
}

bool KeptConnections::IsOld(const Idle& idle) const {
  return clock_.Steady() - idle.since >= kIdle || clock_.Steady() - idle.line.opened >= kLongest;
}

}  // namespace ballast::kube
