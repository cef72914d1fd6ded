#include "operator/controllers/attempt.h"

#include <utility>

namespace ballast::controllers {

void Attempts::Begin(Attempt attempt) {
  const std::lock_guard lock(mutex_);
  attempts_.push_back(std::move(attempt));
}

void Attempts::Sent(process::SteadyTime at) {
  const std::lock_guard lock(mutex_);
  attempts_.back().deadline = at + kSettleTime;
}

Attempt Attempts::End(std::size_t index) {
  const std::lock_guard lock(mutex_);
  Attempt ended = std::move(attempts_[index]);
  attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(index));
  return ended;
}

void Attempts::Print(const std::string& autoscaler,
                     telemetry::Shown<telemetry::AttemptDebugState>& debug_state) const {
  const std::lock_guard lock(mutex_);
  for (const Attempt& attempt : attempts_) {
    if (debug_state.items.size() == telemetry::kMostShown) {
      ++debug_state.left_out;
      continue;
    }
    debug_state.items.push_back({.autoscaler = autoscaler,
                                 .decision = attempt.id,
                                 .decided = ballast::Print(attempt.snapshot->now),
                                 .from = attempt.change.from,
                                 .to = attempt.change.to,
                                 .settled_by = attempt.deadline});
  }
}

}  // namespace ballast::controllers
