#include "store/fleet_clock.h"

#include <algorithm>

namespace ballast::store {
namespace {

// No evaluation takes as long: one that is older than the newest by more is of a clock that was set
// back.
constexpr Duration kLongestEvaluation = Duration::Seconds(300);

}  // namespace

bool FleetClock::SetBack(Time time, const std::optional<Time>& before) const {
  return time < newest_ &&
         (!began_ || (before && time < *before) || newest_ - time > kLongestEvaluation);
}

bool FleetClock::Advance(Time time, Duration period, const std::optional<Time>& before) {
  const bool back = SetBack(time, before);
  if (back || aged_ == Time(0, 0)) {
    newest_ = time;
    aged_ = aged_ == Time(0, 0) ? time : std::min(aged_, time);
  } else if (time > newest_) {
    // A longer step is a pause, or a clock that was set. What is real of it counts as time goes on,
    // which is then gained twice.
    const Duration passed = std::min(time - newest_, Duration{period.nanoseconds * 2});
    newest_ = time;
    aged_ = std::min(newest_, aged_ + passed + passed);
  }
  began_ = true;
  return back;
}

void FleetClock::Join(Time heartbeat) {
  if (heartbeat != Time(0, 0)) {
    aged_ = std::min(aged_, heartbeat);
  }
}

}  // namespace ballast::store
