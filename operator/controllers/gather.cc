#include "operator/controllers/gather.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "operator/controllers/label_pairs.h"

namespace ballast::controllers {
namespace {

engine::MetricAnswer Answer(Result<engine::MetricValueList> values) {
  if (!values.ok()) {
    return engine::Failure{values.error().message};
  }
  return std::move(values).value();
}

}  // namespace

Gathered Gatherer::Gather(const api::Autoscaler& policy, const Result<kube::Resource>& resource,
                          Time now) {
  Gathered gathered{.snapshot = {.now = now, .settings = settings_, .autoscaler = policy}};
  engine::Snapshot& snapshot = gathered.snapshot;
  if (!resource.ok()) {
    snapshot.scale = engine::Failure{resource.error().message};
    return gathered;
  }
  const Result<api::Scale> scale = targets_.Read(*resource, TargetKey(policy));
  if (!scale.ok()) {
    snapshot.scale = engine::Failure{scale.error().message};
    return gathered;
  }
  snapshot.scale = *scale;
  if (policy.spec.mode == "Disabled") {
    return gathered;  // nothing is decided, so nothing is asked
  }
  engine::PodList pods;
  // An empty or malformed selector is the engine's to name; it then looks at no pod.
  if (const auto selector = api::ParseSelector(scale->selector);
      selector.ok() && !selector->empty()) {
    pods = fleet_.Pods(policy.metadata.namespace_, *selector);
  }
  snapshot.rivals = Rivals(policy, pods);
  for (const api::MetricSpec& metric : policy.spec.metrics) {
    const runtime::SteadyTime began = clock_.Steady();
    snapshot.metrics.push_back(Ask(policy, metric, scale->selector, pods));
    gathered.asked.push_back(clock_.Steady() - began);
  }
  snapshot.pods = std::move(pods);
  return gathered;
}

// The autoscalers whose targets may select one of the pods; the engine looks closer. Those of the
// same target are no rivals: one of the two yields (conflicts.h). A policy that is switched off
// scales nothing, so it shares its pods.
std::vector<engine::Rival> Gatherer::Rivals(const api::Autoscaler& policy,
                                            const engine::PodList& pods) {
  std::vector<engine::Rival> rivals;
  const std::string& namespace_ = policy.metadata.namespace_;
  const std::set<std::string> pairs = PairsOf(pods);
  for (api::CrossVersionObjectReference target : fleet_.TargetKinds(namespace_)) {
    for (const auto& scale : targets_.MaySelect(target, namespace_, pairs)) {
      target.name = scale->metadata.name;
      for (const AutoscalerPointer& other : fleet_.AutoscalersOf(namespace_, target)) {
        if (!SameTarget(policy, *other) && other->spec.mode != "Disabled") {
          rivals.push_back({other->metadata.name, scale->selector});
        }
      }
    }
  }
  std::sort(rivals.begin(), rivals.end(), [](const engine::Rival& a, const engine::Rival& b) {
    return std::tie(a.name, a.selector) < std::tie(b.name, b.selector);
  });
  return rivals;
}

engine::MetricAnswer Gatherer::Ask(const api::Autoscaler& policy, const api::MetricSpec& metric,
                                   const std::string& selector, const engine::PodList& pods) {
  const std::string& namespace_ = policy.metadata.namespace_;
  if (metric.resource || metric.container_resource) {
    if (pods.empty()) {
      return engine::Failure{"no pods match the target's selector \"" + selector +
                             "\"; do the labels of its pod template fit, and has it any pods?"};
    }
    return AskPodMetrics(namespace_, pods);
  }
  if (metric.pods) {
    return Answer(values_.OfPods(namespace_, selector, *metric.pods));
  }
  if (metric.object) {
    return Answer(values_.OfObject(namespace_, *metric.object));
  }
  if (metric.external) {
    return Answer(values_.External(namespace_, *metric.external));
  }
  return engine::Failure{"the metric names no source"};
}

engine::MetricAnswer Gatherer::AskPodMetrics(const std::string& namespace_,
                                             const engine::PodList& pods) {
  const auto all = pod_metrics_.Read(namespace_);
  if (!all.ok()) {
    return engine::Failure{all.error().message};
  }
  engine::PodMetricsList selected;
  for (const auto& pod : pods) {
    if (const auto found = (*all)->find(pod->metadata.name); found != (*all)->end()) {
      selected.push_back(found->second);
    }
  }
  return selected;
}

}  // namespace ballast::controllers
