#include "store/fold/fleet_clock.h"

#include <algorithm>
#include <utility>

namespace ballast::store {
namespace {

// Longer than any evaluation: one that began even longer before the newest one is from a clock that
// was set back.
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
    // A longer step is a pause, or the clock was set; only two periods of it count. Each step
    // counts twice, so that aged_ catches up after a real pause.
    const Duration passed = std::min(time - newest_, Duration{period.nanoseconds * 2});
    newest_ = time;
    aged_ = std::min(newest_, aged_ + passed + passed);
  }
  began_ = true;
  return back;
}

void FleetClock::Pass(Time now, Duration span) {
  const bool evaluates = std::exchange(newest_passed_, newest_) != newest_;
  if (!evaluates && aged_ != Time(0, 0)) {
    aged_ = std::min(now, aged_ + span + span);
  }
}

void FleetClock::Join(Time heartbeat) {
  if (heartbeat != Time(0, 0)) {
    aged_ = std::min(aged_, heartbeat);
  }
}

}  // namespace ballast::store
