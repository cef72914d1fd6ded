// What one metric of a snapshot asks for, by the model's own arithmetic (decision_model.h): usage
// by target, pods that do not count, tolerances.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/decision/snapshot.h"

namespace ballast::faults {

struct MetricWish {
  enum class Kind {
    kCount,
    kFailed,  // the metric gives no value
    kNoRule,  // the model has none for it
  };
  Kind kind = Kind::kCount;
  std::int64_t count = 0;
};

// The snapshot has a scale with replicas, and pods where the metric needs them.
MetricWish MetricWishOf(const engine::Snapshot& snapshot, std::size_t index);

// Whether the newest sample of that metric has justified a scale-up before.
bool HasUsedSample(const engine::Snapshot& snapshot, std::size_t index);

// That many times, rounded up.
std::int64_t Times(double ratio, std::int64_t pods);

// What a sample is believed for, before and after now.
inline constexpr Duration kBelieved = Duration::Seconds(300);

}  // namespace ballast::faults
