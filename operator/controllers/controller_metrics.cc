#include "operator/controllers/controller_metrics.h"

#include <string>
#include <vector>

namespace ballast::controllers {
namespace {

const std::vector<double> kSecondsBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                            1,     2.5,  5,     10,   30,  60};

}  // namespace

ControllerMetrics::ControllerMetrics(telemetry::Registry& registry, PerPolicy per_policy)
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
  seconds = registry
                .Histograms("controller_runtime_reconcile_time_seconds",
                            "Length of time per reconciliation per controller.", kSecondsBounds,
                            {"controller"})
                .With({kControllerName});
  workers =
      gauge("max_concurrent_reconciles", "Maximum number of concurrent reconciles per controller.");
  active_workers = gauge("active_workers", "Number of currently used workers per controller.");
  policies = registry
                 .Gauges("horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers",
                         "Current number of controlled autoscalers.")
                 .With({});
  conditions = registry.Gauges(
      "ballast_autoscalers",
      "Number of autoscalers that have the condition with the reason, as their status says.",
      {"kind", "mode", "condition", "reason"});
  if (per_policy == PerPolicy::kYes) {
    desired_replicas = registry.Gauges("horizontal_pod_autoscaler_controller_desired_replicas",
                                       "Current desired replica count of an autoscaler.",
                                       {"namespace", "hpa_name"});
  }
}

}  // namespace ballast::controllers
