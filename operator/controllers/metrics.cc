#include "operator/controllers/metrics.h"

#include <vector>

namespace ballast::controllers {
namespace {

const std::vector<double> kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                     1,     2.5,  5,     10,   30,  60};

}  // namespace

ControllerMetrics::ControllerMetrics(telemetry::Registry& registry)
    : queue(registry, kControllerName) {
  const auto counter = [&](const std::string& name, const std::string& help) {
    return registry.Counters("controller_runtime_" + name, help, {"controller"})
        .With({kControllerName});
  };
  const auto gauge = [&](const std::string& name, const std::string& help) {
    return registry.Gauges("controller_runtime_" + name, help, {"controller"})
        .With({kControllerName});
  };
  reconciled = registry.Counters("controller_runtime_reconcile_total",
                                 "Total number of reconciliations per controller.",
                                 {"controller", "result"});
  errors =
      counter("reconcile_errors_total", "Total number of reconciliation errors per controller.");
  panics =
      counter("reconcile_panics_total", "Total number of reconciliation panics per controller.");
  seconds =
      registry
          .Histograms("controller_runtime_reconcile_time_seconds",
                      "Length of time per reconciliation per controller.", kBounds, {"controller"})
          .With({kControllerName});
  workers =
      gauge("max_concurrent_reconciles", "Maximum number of concurrent reconciles per controller.");
  active_workers = gauge("active_workers", "Number of currently used workers per controller.");
}

EvaluationMetrics::EvaluationMetrics(telemetry::Registry& registry)
    : evaluations(registry.Counters(
          "horizontal_pod_autoscaler_controller_reconciliations_total",
          "Number of reconciliations by action (scale_up, scale_down, none) and error (spec, "
          "internal, none).",
          {"action", "error"})),
      seconds(registry.Histograms(
          "horizontal_pod_autoscaler_controller_reconciliation_duration_seconds",
          "The time(seconds) that the HPA controller takes to reconcile once.", kBounds,
          {"action", "error"})) {}

void EvaluationMetrics::Count(const char* action, const char* error, double lasted_seconds) const {
  evaluations.With({action, error}).Add();
  seconds.With({action, error}).Observe(lasted_seconds);
}

}  // namespace ballast::controllers
