// Checks the age of a policy's samples: an old one is missing, not the truth.
//
// Thread-safety: pure function.
// Errors: none.
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

// Whether a sample of that time is too old; one without a time never is.
bool IsStale(Time sampled, Time now, const SampleAge& age);

// Says how old `answer` is if it is too old to be used; absent if it is not, or no sample has a
// timestamp. Of the samples of pods the newest decides, since the old ones are left out; of series
// whose sum counts (External) the oldest.
std::optional<std::string> ExplainStaleness(const api::MetricSpec& metric,
                                            const MetricAnswer& answer, Time now,
                                            const SampleAge& age);

}  // namespace ballast::engine
