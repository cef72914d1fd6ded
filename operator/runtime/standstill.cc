#include "operator/runtime/standstill.h"

#include <algorithm>

#include "operator/os/thread_name.h"

namespace ballast::runtime {
namespace {

constexpr std::chrono::milliseconds kLook{500};
constexpr std::chrono::milliseconds kLate{500};  // a busy machine is as late as that
constexpr std::size_t kMost = 100;               // gaps that are remembered

}  // namespace

Standstill::Standstill(Clock& clock)
    : clock_(clock), thread_([this](const std::stop_token& stop) { Watch(stop); }) {}

std::chrono::nanoseconds Standstill::LongestSince(SteadyTime since) const {
  const std::lock_guard lock(mutex_);
  std::chrono::nanoseconds longest{0};
  for (const Gap& gap : gaps_) {
    if (gap.end > since) {
      longest = std::max(longest, std::min(gap.length, std::chrono::nanoseconds(gap.end - since)));
    }
  }
  return longest;
}

void Standstill::Watch(const std::stop_token& stop) {
  os::NameThisThread("standstill");
  SteadyTime last = clock_.Steady();
  while (!stop.stop_requested()) {
    SleepFor(clock_, kLook, stop);
    const SteadyTime now = clock_.Steady();
    Note(last, now);
    last = now;
  }
}

void Standstill::Note(SteadyTime from, SteadyTime to) {
  if (to - from <= kLook + kLate) {
    return;
  }
  const std::lock_guard lock(mutex_);
  gaps_.push_back({to, to - from});
  if (gaps_.size() > kMost) {
    gaps_.pop_front();
  }
}

}  // namespace ballast::runtime
