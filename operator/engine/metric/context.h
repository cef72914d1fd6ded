// The inputs for the computation of a metric.
//
// Thread-safety: plain value that belongs to one evaluation; everything it refers to outlives it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/decision/snapshot.h"
#include "operator/engine/metric/tolerance.h"
#include "operator/engine/numbers.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

struct Context {
  const Snapshot& snapshot;
  const Quirks& quirks;
  const Settings& settings;  // EffectiveSettings
  const PodList& pods;
  std::int32_t current = 0;          // scale.spec.replicas
  std::int32_t status_replicas = 0;  // scale.status.replicas: the number of existing pods
  Tolerances tolerances;

  Numbers numbers() const { return Numbers(quirks); }
};

}  // namespace ballast::engine
