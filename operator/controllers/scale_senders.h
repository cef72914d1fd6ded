// For which autoscalers this process has sent writes of a target's scale. All are one field
// manager, so the target does not tell whose write it shows.
//
// Thread-safety: any thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

#include "operator/process/clock.h"

namespace ballast::controllers {

// Targets and autoscalers are given by their uids.
class ScaleSenders {
 public:
  // A write is sent now.
  void Sends(const std::string& target, const std::string& autoscaler, process::SteadyTime now);
  // Whether one was for another autoscaler than that, at `since` or later. What was sent more than
  // an hour ago may be forgotten.
  bool OthersSent(const std::string& target, const std::string& autoscaler,
                  process::SteadyTime since) const;

 private:
  // The hash of a uid takes a fifth of its room; that of another one is the same once in 2^64.
  using Hash = std::size_t;
  struct Sender {
    Hash autoscaler = 0;
    process::SteadyTime at = process::SteadyTime::min();
  };
  // The last two that differ.
  struct Senders {
    Sender last;
    Sender before;
  };

  mutable std::mutex mutex_;  // guards: the rest
  std::unordered_map<Hash, Senders> of_;
  std::size_t sweep_at_ = 1'000;  // so many
};

}  // namespace ballast::controllers
