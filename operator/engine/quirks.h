// Upstream's peculiarities, as plain data: they all apply to a HorizontalPodAutoscaler, and none
// applies to a policy (docs/engine.md).
//
// Thread-safety: constants.
// Errors: none.
#pragma once

namespace ballast::engine {

struct Quirks {
  // While no pod is ready, a metric with target type Value proposes 0 (k/k 130130). Without the
  // quirk it never proposes fewer than the present replicas.
  bool unready_count_as_none = false;
  // At zero pods, the status shows the usage divided by zero (k/k 140956).
  bool divides_by_no_pods = false;
  // Without spec.behavior, from 2^30 replicas on: the scale-up limit, twice the present count, does
  // not fit into int32 and becomes its minimum.
  bool doubling_wraps = false;
  // If recent recommendations moved the count, the reason of the rescale is empty or names the
  // metrics.
  bool blames_metrics_alone = false;
  // Samples count however old they are, or far ahead.
  bool takes_samples_of_any_time = false;
};

inline constexpr Quirks kUpstreamQuirks = {.unready_count_as_none = true,
                                           .divides_by_no_pods = true,
                                           .doubling_wraps = true,
                                           .blames_metrics_alone = true,
                                           .takes_samples_of_any_time = true};
inline constexpr Quirks kNoQuirks = {};

}  // namespace ballast::engine
