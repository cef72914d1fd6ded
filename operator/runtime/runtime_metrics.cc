#include "operator/runtime/runtime_metrics.h"

namespace ballast::runtime {

WorkQueueMetrics::WorkQueueMetrics(telemetry::Registry& registry, const std::string& name) {
  const telemetry::Registry::Labels labels = {"name", "controller"};
  const auto gauge = [&](const std::string& metric, const std::string& help) {
    return registry.Gauges("workqueue_" + metric, help, labels).With({name, name});
  };
  const auto counter = [&](const std::string& metric, const std::string& help) {
    return registry.Counters("workqueue_" + metric, help, labels).With({name, name});
  };
  const auto seconds = [&](const std::string& metric, const std::string& help) {
    return registry
        .Histograms("workqueue_" + metric, help, telemetry::ExponentialBounds(1e-5, 10, 8), labels)
        .With({name, name});
  };
  depth = gauge("depth", "Current depth of workqueue.");
  adds = counter("adds_total", "Total number of adds handled by workqueue.");
  retries = counter("retries_total", "Total number of retries handled by workqueue.");
  waited_seconds =
      seconds("queue_duration_seconds",
              "How long in seconds an item stays in workqueue before being requested.");
  worked_seconds = seconds("work_duration_seconds",
                           "How long in seconds processing an item from workqueue takes.");
  unfinished_seconds = gauge("unfinished_work_seconds",
                             "How many seconds of work has been done that is in progress and "
                             "hasn't been observed by work_duration.");
  longest_seconds =
      gauge("longest_running_processor_seconds",
            "How many seconds has the longest running processor for workqueue been running.");
}

LeaderElectionMetrics::LeaderElectionMetrics(telemetry::Registry& registry, const std::string& name)
    : master_status(registry
                        .Gauges("leader_election_master_status",
                                "Gauge of if the reporting system is master of the relevant lease, "
                                "0 indicates backup, 1 indicates master. 'name' is the string used "
                                "to identify the lease. Please make sure to group by name.",
                                {"name"})
                        .With({name})),
      slowpath(registry
                   .Counters("leader_election_slowpath_total",
                             "Total number of slow path exercised in renewing leader leases. "
                             "'name' is the string used to identify the lease. Please make sure to "
                             "group by name.",
                             {"name"})
                   .With({name})) {}

}  // namespace ballast::runtime
