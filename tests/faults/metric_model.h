// The metrics of the world: what a policy scales on, and what the metrics APIs and Prometheus
// answer. Every load is 10 units for each replica that it needs, whatever type of metric tells it.
//
// A metric of pods shares the load among those that were ready when it was sampled, rounded down,
// so that it never asks for more replicas than the load needs.
//
// Thread-safety: one thread.
// Errors: those of the APIs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/kube/transport.h"
#include "tests/faults/load_curve.h"

namespace ballast::faults {

// spec.metrics of a policy for that load.
std::string MetricsFor(const Load& load);

// Whether the request is for a metric.
bool AsksForMetrics(const kube::Request& request);
// Whether that metric is one beside the main one of its load.
bool AsksForPart(const kube::Request& request);

class MetricModel {
 public:
  struct View {
    // The pods that serve the load and were ready at that time, by name.
    std::function<std::vector<std::string>(std::size_t load, Nanoseconds sampled)> ready_pods;
    // Whether every second pod has no sample now.
    std::function<bool(std::size_t load)> misses_pods;
    // Whether that metric of the load fails now (absent: its main one). Its pods are missing in
    // lists of pods.
    std::function<bool(std::size_t load, std::optional<std::size_t> part)> fails;
    // Called for each metric of which a request gets a sample.
    std::function<void(MetricKind kind)> on_sample;
  };

  // `loads` must outlive the MetricModel.
  MetricModel(const std::vector<Load>& loads, View view) : loads_(loads), view_(std::move(view)) {}

  Result<kube::Response> Answer(const kube::Request& request) const;

 private:
  struct Metric {
    std::size_t load = 0;
    std::optional<std::size_t> part = std::nullopt;  // of Load::parts; absent: the main one
    std::int64_t divisor = 1;
  };
  struct PodSample {
    std::string pod;
    std::string amount;
  };
  std::vector<PodSample> SamplesOfPods(const Metric& metric, Nanoseconds sampled) const;
  Result<Metric> Find(const std::string& name) const;
  std::string ResourceMetrics(const std::string& selector) const;
  Result<std::string> Values(const std::string& name, bool of_pods) const;
  Result<std::string> Prometheus(const std::string& query) const;

  const std::vector<Load>& loads_;
  const View view_;
};

}  // namespace ballast::faults
