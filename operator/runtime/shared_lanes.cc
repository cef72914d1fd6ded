#include "operator/runtime/shared_lanes.h"

#include <algorithm>

namespace ballast::runtime {
namespace {

constexpr int kPromptInARow = 8;

}  // namespace

void SharedLanes::Ask(const std::string& namespace_, process::SteadyTime now) {
  if (last_ != namespace_) {
    if (last_) {
      shared_until_ = last_asked_ + kRemembered;
    }
    last_ = namespace_;
  }
  last_asked_ = now;
  if (const auto slow = slow_.find(namespace_); slow != slow_.end()) {
    slow->second.asked = now;
  }
  Look(now);
}

bool SharedLanes::May(const std::string& namespace_) const {
  if (held_.size() >= lanes_) {
    return false;
  }
  if (now_ >= shared_until_) {
    return !IsSlow(namespace_) || held_.size() < lanes_ - lanes_ / 4;
  }
  const std::size_t half = std::max<std::size_t>(1, lanes_ / 2);
  const auto own = static_cast<std::size_t>(std::ranges::count(
      held_, namespace_, [](const HeldLane& lane) -> auto& { return lane.namespace_; }));
  if (own >= half || (own > 0 && held_.size() >= lanes_ - lanes_ / 4)) {
    return false;
  }
  const std::size_t most_slow = own > 0 ? half - half / 4 : half;
  return held_by_slow_ < most_slow || now_ >= prompt_until_ || !IsSlow(namespace_);
}

SharedLanes::Lane SharedLanes::Begin(const std::string& namespace_, process::SteadyTime now) {
  held_.push_front({namespace_, now});
  Look(now);
  return held_.begin();
}

void SharedLanes::End(Lane lane, LaneOutcome ended, process::SteadyTime now) {
  Look(now);
  const auto slow = slow_.find(lane->namespace_);
  if (slow == slow_.end()) {
    prompt_until_ = ended == LaneOutcome::kUnsent ? prompt_until_ : now + kRemembered;
  } else if (ended == LaneOutcome::kServed && now - lane->since <= kPrompt &&
             ++slow->second.prompt >= kPromptInARow && now - slow->second.seen >= kRemembered) {
    slow_.erase(slow);
  }
  held_.erase(lane);
  Look(now);
}

void SharedLanes::Look(process::SteadyTime now) {
  now_ = now;
  for (const HeldLane& lane : held_) {
    if (now - lane.since > kPrompt) {
      SlowNamespace& slow = slow_[lane.namespace_];
      slow = {.seen = now, .asked = std::max(slow.asked, lane.since)};
      next_forgotten_ = std::min(next_forgotten_, now + kRemembered);
    }
  }
  if (now >= next_forgotten_) {
    next_forgotten_ = process::SteadyTime::max();
    std::erase_if(slow_, [&](const auto& entry) {
      const process::SteadyTime until =
          std::max(entry.second.seen, entry.second.asked) + kRemembered;
      if (now < until) {
        next_forgotten_ = std::min(next_forgotten_, until);
      }
      return now >= until;
    });
  }
  held_by_slow_ = static_cast<std::size_t>(std::ranges::count_if(
      held_, [this](const HeldLane& lane) { return IsSlow(lane.namespace_); }));
}

}  // namespace ballast::runtime
