#include "operator/engine/metric/sample_age.h"

#include <algorithm>
#include <cstdint>

#include "operator/engine/metric/samples.h"

namespace ballast::engine {
namespace {

Duration WholeSeconds(Duration span) {
  return Duration::Seconds(span.nanoseconds / Duration::Seconds(1).nanoseconds);
}

// The longest window of the answer's samples.
Duration WindowOf(const MetricAnswer& answer) {
  Duration longest;
  if (const auto* pods = std::get_if<PodMetricsList>(&answer)) {
    for (const auto& pod : *pods) {
      longest = std::max(longest, pod->window);
    }
  } else if (const auto* values = std::get_if<MetricValueList>(&answer)) {
    for (const api::MetricValue& value : *values) {
      longest = std::max(longest, Duration::Seconds(value.window_seconds.value_or(0)));
    }
  }
  return longest;
}

}  // namespace

SampleAge LongestAge(const api::MetricSpec& metric, const MetricAnswer& answer,
                     const Settings& settings) {
  constexpr std::int64_t kWindows = 3;
  // A window is the source's word; one beyond a day is not believed.
  constexpr Duration kLongestWindow = Duration::Seconds(86'400);
  if (metric.max_sample_age_seconds) {
    return {Duration::Seconds(*metric.max_sample_age_seconds), "maxSampleAgeSeconds"};
  }
  const Duration windows{std::min(WindowOf(answer), kLongestWindow).nanoseconds * kWindows};
  if (windows > settings.stale_after) {
    return {windows, "three windows of its source"};
  }
  return {settings.stale_after, "staleAfterSeconds"};
}

bool Counts(Time sampled, Time now, const SampleAge& age) {
  return sampled == Time() || (now - sampled <= age.limit && sampled - now <= kClocksDiffer);
}

std::optional<std::string> ExplainMistiming(const api::MetricSpec& metric,
                                            const MetricAnswer& answer, Time now,
                                            const SampleAge& age) {
  const bool summed = metric.external.has_value();
  const auto newest = NewestTimestamp(answer);
  const auto oldest = OldestTimestamp(answer);
  const auto believed = NewestTimestamp(answer, now + kClocksDiffer);
  if (newest && (summed ? believed != newest : !believed)) {
    return std::string(summed && oldest != newest ? "the newest of its series is "
                                                  : "the newest sample is ") +
           Print(WholeSeconds(*newest - now)) + " ahead of the operator's clock, more than the " +
           Print(kClocksDiffer) + " by which clocks may differ";
  }
  const auto deciding = summed ? oldest : believed;
  if (!deciding || Counts(*deciding, now, age)) {
    return std::nullopt;
  }
  const char* which = deciding == newest ? "the newest sample is "
                      : summed           ? "the oldest of its series is "
                                         : "the newest sample but for those of wrong clocks is ";
  return which + Print(WholeSeconds(now - *deciding)) + " old, more than the " + Print(age.limit) +
         " of " + age.origin;
}

}  // namespace ballast::engine
