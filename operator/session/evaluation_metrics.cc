#include "operator/session/evaluation_metrics.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "operator/engine/metric/samples.h"

namespace ballast::session {
namespace {

const std::vector<double> kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                     1,     2.5,  5,     10,   30,  60};

// The HPA controller's buckets.
std::vector<double> EvaluationBounds() { return telemetry::ExponentialBounds(0.001, 2, 15); }

std::string HpaController(const std::string& name) {
  return "horizontal_pod_autoscaler_controller_" + name;
}

}  // namespace

const char* ActionOf(std::int32_t from, std::int32_t to) {
  return to > from ? "scale_up" : to < from ? "scale_down" : "none";
}

EvaluationMetrics::EvaluationMetrics(telemetry::Registry& registry)
    : evaluations(registry.Counters(
          HpaController("reconciliations_total"),
          "Number of reconciliations by action (scale_up, scale_down, none) and error (spec, "
          "internal, none).",
          {"action", "error"})),
      seconds(
          registry.Histograms(HpaController("reconciliation_duration_seconds"),
                              "The time(seconds) that the HPA controller takes to reconcile once.",
                              EvaluationBounds(), {"action", "error"})),
      metrics(registry.Counters(
          HpaController("metric_computation_total"),
          "Number of metric computations by what the metric alone asks for (action) and its type.",
          {"action", "error", "metric_type"})),
      metric_seconds(registry.Histograms(
          HpaController("metric_computation_duration_seconds"),
          "The time(seconds) that the HPA controller takes to calculate one metric.",
          EvaluationBounds(), {"action", "error", "metric_type"})),
      scale_event_seconds(registry.Histograms("ballast_scale_event_seconds",
                                              "How long the stages of a scale event took: sample, "
                                              "until all answers were there; decide; "
                                              "write, until the API server confirmed it.",
                                              kBounds, {"stage"})),
      foreign_changes(registry.Counters(
          "ballast_foreign_changes_total",
          "Changes by others of replicas that Ballast scales, by whether they undid what it had "
          "written just before.",
          {"undid"})),
      memory_failures(
          registry
              .Counters("ballast_hpa_memory_failures_total",
                        "Writes of the memory of managed HorizontalPodAutoscalers that failed.")
              .With({})) {
  // Shown from the start, so that an increase is seen.
  for (const char* undid : {"true", "false"}) {
    foreign_changes.With({undid});
  }
}

void EvaluationMetrics::Count(const char* action, const char* error,
                              std::chrono::duration<double> lasted) const {
  evaluations.With({action, error}).Add();
  seconds.With({action, error}).Observe(lasted.count());
}

void EvaluationMetrics::CountMetrics(const engine::Snapshot& snapshot,
                                     const engine::Decision& decision,
                                     std::span<const std::chrono::duration<double>> asked) const {
  const auto& specs = snapshot.autoscaler.spec.metrics;
  for (std::size_t i = 0; i < decision.proposals.size(); ++i) {
    const auto& proposal = decision.proposals[i];
    const char* action = proposal ? ActionOf(decision.current_replicas, *proposal) : "none";
    const char* error = proposal ? "none" : "internal";
    metrics.With({action, error, specs[i].type}).Add();
    metric_seconds.With({action, error, specs[i].type}).Observe(asked[i].count());
  }
}

void EvaluationMetrics::CountScaleEvent(const engine::Snapshot& snapshot, Time seen, Time decided,
                                        Time written) const {
  const auto count = [this](const char* stage, Time from, Time to) {
    // The samples' clock may be ahead.
    const std::chrono::duration<double> lasted =
        std::chrono::nanoseconds(std::max((to - from).nanoseconds, std::int64_t{0}));
    scale_event_seconds.With({stage}).Observe(lasted.count());
  };
  std::optional<Time> sampled;
  for (const engine::MetricAnswer& metric : snapshot.metrics) {
    sampled = std::max(sampled, engine::NewestTimestamp(metric));
  }
  if (sampled) {
    count("sample", *sampled, seen);
  }
  count("decide", seen, decided);
  count("write", decided, written);
}

}  // namespace ballast::session
