// Upstream's peculiarities, as plain data: a HorizontalPodAutoscaler has all of them, a policy none
// (docs/engine.md).
//
// Thread-safety: constants.
#pragma once

namespace ballast::engine {

struct Quirks {
  // While no pod is ready, a target for the whole is met by none (k/k 130130).
  bool unready_count_as_none = false;
  // Without pods, the status shows usage divided by none (k/k 140956).
  bool divides_by_no_pods = false;
  // Without spec.behavior: twice the present count, as a limit, wraps around beyond 2^30.
  bool doubling_wraps = false;
  // The reason of a rescale names the metrics or nothing, whatever moved the count.
  bool blames_metrics_alone = false;
  // However old a sample is, it counts.
  bool takes_stale_samples = false;
};

inline constexpr Quirks kUpstreamQuirks = {.unready_count_as_none = true,
                                           .divides_by_no_pods = true,
                                           .doubling_wraps = true,
                                           .blames_metrics_alone = true,
                                           .takes_stale_samples = true};
inline constexpr Quirks kNoQuirks = {};

}  // namespace ballast::engine
