// Upstream's peculiarities, as plain data: they apply to a HorizontalPodAutoscaler, each in the
// versions of Kubernetes that have it, and none applies to a policy (docs/engine.md).
#pragma once

namespace ballast::engine {

struct Quirks {
  // While no pod is ready, a metric with target type Value proposes 0 (k/k 130130). Without the
  // quirk it never proposes fewer than the present replicas.
  bool unready_count_as_none = false;
  // At zero pods, the status shows the usage divided by zero (k/k 140956).
  bool divides_by_no_pods = false;
  // Numbers that do not fit into their type wrap around, or become its minimum: a rate of more
  // replicas than int32 has lets none be added, and a utilization of more percent scales in.
  bool numbers_wrap = false;
  // If recent recommendations moved the count, the reason of the rescale is empty or names the
  // metrics.
  bool blames_metrics_alone = false;
  // Samples count however old they are, or far ahead.
  bool takes_samples_of_any_time = false;
  // A pod that has ended with success counts as one whose sample is missing (k/k 141302).
  bool ended_pods_count = false;
  // Within tolerance, an average of one number proposes the pods that exist, which is then written
  // into spec.replicas (k/k 141134). Without the quirk the count stays the spec's.
  bool settles_on_existing_pods = false;
  // The overhead of a pod's RuntimeClass is part of its pod-level request, though no sample
  // measures it (k/k 142154).
  bool requests_overhead = false;
  // What a pod requests counts also while it still has less, because a resize is not done.
  bool trusts_pending_resizes = false;
  // A percentage of no replicas is none, so that a rate of percents never leaves zero.
  bool percent_of_none_is_none = false;
  // A target's scale must have a selector, also where no metric needs pods.
  bool needs_selector = false;
  // The message of an Object metric that failed has its parts in the wrong order; up to 1.36.
  bool confuses_object_message = false;
  // The message about pods of several autoscalers names two of them; from 1.37 on.
  bool names_two_rivals = false;
  // An evaluation drops status.observedGeneration; up to 1.36.
  bool drops_observed_generation = false;
};

inline constexpr Quirks kQuirksOf136 = {.unready_count_as_none = true,
                                        .divides_by_no_pods = true,
                                        .numbers_wrap = true,
                                        .blames_metrics_alone = true,
                                        .takes_samples_of_any_time = true,
                                        .ended_pods_count = true,
                                        .settles_on_existing_pods = true,
                                        .requests_overhead = true,
                                        .trusts_pending_resizes = true,
                                        .percent_of_none_is_none = true,
                                        .needs_selector = true,
                                        .confuses_object_message = true,
                                        .names_two_rivals = false,
                                        .drops_observed_generation = true};
inline constexpr Quirks kQuirksOf137 = [] {
  Quirks quirks = kQuirksOf136;
  quirks.confuses_object_message = false;
  quirks.names_two_rivals = true;
  quirks.drops_observed_generation = false;
  return quirks;
}();
inline constexpr Quirks kNoQuirks = {};

}  // namespace ballast::engine
