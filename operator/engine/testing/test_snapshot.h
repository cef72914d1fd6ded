// Small, complete snapshots for tests to change. For tests only.
//
// Errors: a text that is not a quantity throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/decision/snapshot.h"
#include "api/kubernetes/quantity.h"
#include "operator/engine/conditions.h"
#include "operator/engine/engine.h"

namespace ballast::engine::testing {

// 2026-03-04T12:00:00Z
inline constexpr Time kNow{1'772'625'600, 0};

inline Time Ago(std::int64_t seconds) { return kNow - Duration::Seconds(seconds); }

inline Quantity Parse(const std::string& text) { return *ParseQuantity(text); }

// A running pod that has been ready for an hour.
inline std::shared_ptr<api::Pod> MakePod(const std::string& name) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = name;
  pod->metadata.labels = {{"app", "web"}};
  pod->containers = {{"app", {{"cpu", Parse("100m")}}, false}};
  pod->phase = "Running";
  pod->start_time = Ago(3600);
  pod->ready = api::Condition{"Ready", "True", "", "", Ago(3590)};
  return pod;
}

// An External metric `queue` with an average target of 10 per pod.
inline api::MetricSpec QueueMetric() {
  api::MetricSpec metric;
  metric.type = "External";
  metric.external.emplace();
  metric.external->metric.name = "queue";
  metric.external->target.type = "AverageValue";
  metric.external->target.average_value = Parse("10");
  return metric;
}

// The same metric with a target of 10 for the whole workload (type Value).
inline api::MetricSpec QueueValueMetric() {
  api::MetricSpec metric = QueueMetric();
  metric.external->target = {"Value", Parse("10"), {}, {}};
  return metric;
}

// A Resource metric: cpu with a target of 50 % of the requests.
inline api::MetricSpec CpuMetric() {
  api::MetricSpec metric;
  metric.type = "Resource";
  metric.resource = {"cpu", {"Utilization", {}, {}, 50}};
  return metric;
}

inline MetricValueList QueueOf(const std::string& value, Time sampled = Ago(5)) {
  api::MetricValue item;
  item.metric_name = "queue";
  item.timestamp = sampled;
  item.value = Parse(value);
  return {item};
}

// The cpu usage of `usage.size()` pods named pod-0, pod-1, ...
inline PodMetricsList CpuOf(const std::vector<std::string>& usage, Time sampled = Ago(5)) {
  PodMetricsList list;
  for (std::size_t i = 0; i < usage.size(); ++i) {
    auto pod = std::make_shared<api::PodMetrics>();
    pod->name = "pod-" + std::to_string(i);
    pod->timestamp = sampled;
    pod->window = Duration::Seconds(30);
    pod->containers = {{"app", {{"cpu", Parse(usage[i])}}}};
    list.push_back(pod);
  }
  return list;
}

// A target with `replicas` ready pods and bounds of 1 and 20. The queue metric is at its target of
// 10 per pod, so the count stays.
inline Snapshot MakeSnapshot(const char* kind, std::int32_t replicas) {
  Snapshot snapshot;
  snapshot.now = kNow;
  snapshot.autoscaler.kind = kind;
  snapshot.autoscaler.metadata.name = "web";
  snapshot.autoscaler.metadata.namespace_ = "shop";
  snapshot.autoscaler.metadata.generation = 7;
  auto& spec = snapshot.autoscaler.spec;
  spec.scale_target_ref = {"apps/v1", "Deployment", "web"};
  spec.min_replicas = 1;
  spec.max_replicas = 20;
  spec.metrics = {QueueMetric()};
  api::Scale scale;
  scale.spec_replicas = replicas;
  scale.status_replicas = replicas;
  scale.selector = "app=web";
  snapshot.scale = scale;
  PodList pods;
  for (std::int32_t i = 0; i < replicas; ++i) {
    pods.push_back(MakePod("pod-" + std::to_string(i)));
  }
  snapshot.pods = pods;
  snapshot.metrics = {QueueOf(std::to_string(10 * replicas))};
  snapshot.memory = Memory{{{Ago(15), replicas}}, {}, {}, {}};
  return snapshot;
}

inline Snapshot MakePolicy(std::int32_t replicas) {
  return MakeSnapshot(api::kPolicyKind, replicas);
}
inline Snapshot MakeHpa(std::int32_t replicas) { return MakeSnapshot(api::kHpaKind, replicas); }

// Decides and concludes as if the write of the scale had succeeded.
inline Conclusion Evaluate(const Snapshot& snapshot) {
  const Decision decision = Decide(snapshot);
  const auto kind = decision.rescale ? Outcome::Kind::kWritten : Outcome::Kind::kNotAttempted;
  return Conclude(snapshot, decision, {kind, ""});
}

inline const api::Condition* FindCondition(const api::AutoscalerStatus& status,
                                           std::string_view type) {
  return Find(status.conditions, type);
}

}  // namespace ballast::engine::testing
