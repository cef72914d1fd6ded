// Checks the times of a policy's samples: one that is old, or from a clock that is wrong, is
// missing, not the truth.
#pragma once

#include <optional>
#include <string>

#include "api/decision/snapshot.h"

namespace ballast::engine {

// How old a sample of the metric may be: spec.metrics[].maxSampleAgeSeconds, else
// settings.staleAfterSeconds, or three windows of the source if that is longer.
struct SampleAge {
  Duration limit;
  const char* origin;  // "maxSampleAgeSeconds"
};
SampleAge LongestAge(const api::MetricSpec& metric, const MetricAnswer& answer,
                     const Settings& settings);

// By how much a sample's time may be ahead of now, since clocks differ: by as much as a sample may
// be old by default. The age of one that is further ahead is not known, and it would count for as
// long as its clock is ahead.
inline constexpr Duration kClocksDiffer = Duration::Seconds(300);

// Whether a sample of that time counts: it is neither too old nor too far ahead. One without a time
// always does.
bool Counts(Time sampled, Time now, const SampleAge& age);

// Says how old `answer` is, or how far ahead, if it cannot be used for that; absent if it can, or
// no sample has a timestamp. Of the samples of pods the newest one decides that is not too far
// ahead, since the others are left out; of series whose sum counts (External) each of them.
std::optional<std::string> ExplainMistiming(const api::MetricSpec& metric,
                                            const MetricAnswer& answer, Time now,
                                            const SampleAge& age);

}  // namespace ballast::engine
