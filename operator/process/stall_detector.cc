#include "operator/process/stall_detector.h"

#include <algorithm>

namespace ballast::process {
namespace {

constexpr std::chrono::milliseconds kLook{500};
constexpr std::chrono::milliseconds kLate{500};  // a busy machine can be this late
constexpr std::size_t kMost = 100;               // gaps that are remembered

}  // namespace

StallDetector::StallDetector(Clock& clock)
    : clock_(clock), runner_("stalls", clock, [this](const std::stop_token&) { return Look(); }) {
  runner_.Start();
}

std::chrono::nanoseconds StallDetector::LongestSince(SteadyTime since) const {
  const std::lock_guard lock(mutex_);
  std::chrono::nanoseconds longest{0};
  for (const Stall& gap : gaps_) {
    if (gap.end > since) {
      longest = std::max(longest, std::min(gap.length, std::chrono::nanoseconds(gap.end - since)));
    }
  }
  return longest;
}

SteadyTime StallDetector::Look() {
  const SteadyTime now = clock_.Steady();
  if (looked_at_) {
    Note(*looked_at_, now);
  }
  looked_at_ = now;
  return now + kLook;
}

void StallDetector::Note(SteadyTime from, SteadyTime to) {
  if (to - from <= kLook + kLate) {
    return;
  }
  const std::lock_guard lock(mutex_);
  gaps_.push_back({to, to - from});
  if (gaps_.size() > kMost) {
    gaps_.pop_front();
  }
}

}  // namespace ballast::process
