#include "operator/engine/bounds.h"

namespace ballast::engine {

Bounds EffectiveBounds(const Snapshot& snapshot) {
  const api::AutoscalerSpec& spec = snapshot.autoscaler.spec;
  return {spec.min_replicas.value_or(1), spec.max_replicas};
}

}  // namespace ballast::engine
