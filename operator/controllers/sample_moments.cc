#include "operator/controllers/sample_moments.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "api/autoscaling/metric_source.h"

namespace ballast::controllers {
namespace {

using process::SteadyTime;
using std::chrono::nanoseconds;

// How far, of a period, an interval that was measured may be from what is meant.
constexpr int kMeasured = 100;

// The points between two moments, and the latter.
SteadyTime NextOfPeriods(SteadyTime behind, nanoseconds interval, nanoseconds period,
                         SteadyTime now) {
  const SteadyTime last = behind - interval;
  return std::min(behind, last + ((now - last) / period + 1) * period);
}

}  // namespace

std::optional<SteadyTime> NextBehindSamples(const api::Autoscaler& autoscaler,
                                            const sources::Rhythm& rhythm, Duration period,
                                            SteadyTime now) {
  const nanoseconds length(std::max<std::int64_t>(period.nanoseconds, 1));
  if (rhythm.interval < length - length / kMeasured ||
      std::ranges::none_of(autoscaler.spec.metrics, api::IsResourceMetric)) {
    return std::nullopt;
  }
  // A moment that comes a little later than a period after the one before, because clocks differ,
  // does not need a second evaluation.
  SteadyTime next = rhythm.After(now + sources::kMomentMargin / 2);
  if (!autoscaler.is_policy()) {
    if (rhythm.interval % length != nanoseconds(0) || !rhythm.steady) {
      return std::nullopt;
    }
    next = NextOfPeriods(next, rhythm.interval, length, now);
  }
  return std::min(next, now + length);
}

}  // namespace ballast::controllers
