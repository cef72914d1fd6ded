// Gathers a Snapshot: everything that one evaluation of a policy may know.
//
// Whatever cannot be had is part of the snapshot (a Failure with the reason); gathering itself
// never fails. Thread-safety: any thread.
#pragma once

#include "operator/controllers/fleet.h"
#include "operator/controllers/targets.h"
#include "operator/engine/snapshot.h"
#include "operator/metrics/metric_values.h"
#include "operator/metrics/pod_metrics.h"

namespace ballast::controllers {

class Gatherer {
 public:
  // All must outlive this.
  Gatherer(const Fleet& fleet, Targets& targets, metrics::PodMetricsReader& pod_metrics,
           metrics::MetricValuesReader& values, const engine::Settings& settings)
      : fleet_(fleet),
        targets_(targets),
        pod_metrics_(pod_metrics),
        values_(values),
        settings_(settings) {}

  // `resource` serves the policy's target; or the error of finding it.
  engine::Snapshot Gather(const api::Autoscaler& policy, const Result<kube::Resource>& resource,
                          Time now);

 private:
  std::vector<engine::Rival> Rivals(const api::Autoscaler& policy, const engine::PodList& pods);
  engine::MetricAnswer Ask(const api::Autoscaler& policy, const api::MetricSpec& metric,
                           const std::string& selector, const engine::PodList& pods);
  engine::MetricAnswer AskPodMetrics(const std::string& namespace_, const engine::PodList& pods);

  const Fleet& fleet_;
  Targets& targets_;
  metrics::PodMetricsReader& pod_metrics_;
  metrics::MetricValuesReader& values_;
  const engine::Settings settings_;
};

}  // namespace ballast::controllers
