// Which version of custom.metrics.k8s.io to ask: the one that the API server prefers of those that
// Ballast reads, as upstream. The API server itself answers, not the adapter.
//
// The answer is used for ten minutes, or for ten seconds if there was none.
//
// Thread-safety: any thread. While one asks, the others use what is known; if nothing is, they ask
// too.
// Errors: none. Where the API is not installed or cannot be discovered: the newer version, whose
// requests then fail and say why.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "operator/kube/transport.h"
#include "operator/process/clock.h"

namespace ballast::sources {

class CustomMetricsVersion {
 public:
  // The arguments must outlive this.
  CustomMetricsVersion(kube::Transport& transport, const process::Clock& clock)
      : transport_(transport), clock_(clock) {}

  // "v1beta2", "v1beta1"
  std::string Get();

 private:
  kube::Transport& transport_;
  const process::Clock& clock_;
  std::mutex mutex_;  // guards: the rest
  bool asking_ = false;
  std::optional<std::string> known_;
  process::SteadyTime ask_at_ = process::SteadyTime::min();
};

}  // namespace ballast::sources
