// What the computation of a metric may look at.
//
// Thread-safety: belongs to one evaluation; everything it points to outlives it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/decision/snapshot.h"
#include "api/kubernetes/label_selector.h"
#include "operator/engine/metric/tolerance.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

struct Context {
  const Snapshot& snapshot;
  const Quirks& quirks;
  const Settings& settings;  // those that hold for this autoscaler
  const PodList& pods;
  std::int32_t current = 0;          // scale.spec.replicas
  std::int32_t status_replicas = 0;  // scale.status.replicas: the pods that exist
  Tolerances tolerances;
};

}  // namespace ballast::engine
