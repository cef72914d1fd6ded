#include "operator/controllers/gather.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "api/autoscaling/mode.h"
#include "operator/cluster/label_pairs.h"
#include "operator/engine/metric/metric.h"

namespace ballast::controllers {
namespace {

// In whole seconds, as snapshots are stored, so that a replay sees the same value.
std::optional<Duration> AgeOf(std::optional<runtime::SteadyTime> heard, runtime::SteadyTime now) {
  if (!heard) {
    return std::nullopt;
  }
  return Duration::Seconds(std::chrono::floor<std::chrono::seconds>(now - *heard).count());
}

// A policy that is switched off scales nothing, so it is no rival. Autoscalers of the same target
// are none of a policy: there is a conflict, and one of the two yields (conflicts.h). HPAs are
// served as upstream does, which knows HPAs only and has no conflicts.
bool CountsAsRival(const api::Autoscaler& autoscaler, const api::Autoscaler& other) {
  if (autoscaler.is_policy()) {
    return !cluster::SameTarget(autoscaler, other) && api::ModeOf(other.spec).evaluates;
  }
  return !other.is_policy() && other.metadata.uid != autoscaler.metadata.uid;
}

// After this nobody takes up what was prepared: its policy is gone.
constexpr std::chrono::minutes kUnused{10};

}  // namespace

void Gatherer::Use(const api::FeatureGates& gates) {
  settings_.scale_to_zero = gates.scale_to_zero;
  settings_.configurable_tolerance = gates.configurable_tolerance;
}

bool Gatherer::Prepare(const api::Autoscaler& policy, Duration period,
                       const std::function<void()>& done) {
  const Result<kube::Resource> resource = targets_.Resolve(policy.spec.scale_target_ref);
  if (!resource.ok()) {
    return true;
  }
  const Result<api::Scale> scale = targets_.Read(*resource, cluster::TargetKey(policy));
  if (!scale.ok()) {
    return true;
  }
  const std::size_t count = policy.spec.metrics.size();
  const auto prepared = std::make_shared<Prepared>(clock_.Steady(), count);
  {
    const std::lock_guard lock(mutex_);
    prepared_[policy.reference()] = prepared;
    sweeper_.Sweep(
        [now = prepared->since](const auto& entry) { return now - entry.second->since >= kUnused; },
        prepared_);
  }
  static const engine::PodList kNoPods;
  bool ready = true;
  const auto ended = [prepared] {
    const std::lock_guard lock(prepared->mutex);
    return --prepared->missing == 0;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const api::MetricSpec& metric = policy.spec.metrics[i];
    if (scale->status_replicas == 0 && (metric.resource || metric.container_resource)) {
      continue;  // without pods these are not requested
    }
    {
      const std::lock_guard lock(prepared->mutex);
      ++prepared->missing;
    }
    const auto answered = [this, prepared, ended, done, i] {
      {
        const std::lock_guard lock(prepared->mutex);
        prepared->answered[i] = clock_.Steady();
      }
      if (ended()) {
        done();
      }
    };
    if (sources_.Prepare({.metric = metric,
                          .namespace_ = policy.metadata.namespace_,
                          .selector = scale->selector,
                          .pods = kNoPods,
                          .period = period,
                          .since = prepared->since,
                          .target = policy.spec.scale_target_ref.name},
                         answered)) {
      (void)ended();
    } else {
      ready = false;
    }
  }
  if (ended() && !ready) {
    done();
  }
  return ready;
}

std::shared_ptr<Gatherer::Prepared> Gatherer::TakePrepared(const api::Autoscaler& policy) {
  const std::lock_guard lock(mutex_);
  const auto node = prepared_.extract(policy.reference());
  return node ? node.mapped() : nullptr;
}

Gathered Gatherer::Gather(const api::Autoscaler& policy, Duration period, Time now) {
  const std::shared_ptr<Prepared> prepared = TakePrepared(policy);
  Gathered gathered{.snapshot = {.now = now, .settings = settings_, .autoscaler = policy}};
  engine::Snapshot& snapshot = gathered.snapshot;
  for (const cluster::AutoscalerPointer& hpa : watches_.HpasOf(policy)) {
    gathered.hpas.push_back(hpa->metadata.name);
  }
  const Result<kube::Resource> resource = targets_.Resolve(policy.spec.scale_target_ref);
  if (!resource.ok()) {
    snapshot.scale = engine::Failure{resource.error().message};
    return gathered;
  }
  const Result<api::Scale> scale = targets_.Read(*resource, cluster::TargetKey(policy));
  if (!scale.ok()) {
    snapshot.scale = engine::Failure{scale.error().message};
    return gathered;
  }
  snapshot.scale = *scale;
  if (!api::ModeOf(policy.spec).evaluates) {
    return gathered;  // nothing is decided, so nothing else is read
  }
  const auto heard = watches_.pods.LastHeard(policy.metadata.namespace_);
  snapshot.pods_age = AgeOf(heard, clock_.Steady());
  Result<cluster::PodSelection> selection = cluster::SelectPods(
      watches_.pods.StoreOf(policy.metadata.namespace_), owners_, policy, *scale);
  if (!selection.ok()) {
    snapshot.pods = engine::Failure{selection.error().message};
    return gathered;  // without its pods no metric is meaningful
  }
  DoubtCounts(*resource, cluster::TargetKey(policy), *scale, selection->pods);
  snapshot.rivals = Rivals(policy, *selection);
  for (std::size_t i = 0; i < policy.spec.metrics.size(); ++i) {
    const runtime::SteadyTime began = clock_.Steady();
    auto answer =
        sources_.Fetch({policy.spec.metrics[i], policy.metadata.namespace_, scale->selector,
                        selection->pods, selection->owned(), selection->left_out, period,
                        prepared == nullptr ? std::nullopt : std::optional(prepared->since),
                        policy.spec.scale_target_ref.name});
    snapshot.metrics.push_back(answer.ok() ? std::move(answer).value()
                                           : engine::Failure{answer.error().message});
    gathered.asked.push_back(clock_.Steady() - began);
    if (prepared != nullptr && i < prepared->answered.size()) {
      const std::lock_guard lock(prepared->mutex);
      gathered.asked.back() += prepared->answered[i] - prepared->since;
    }
  }
  if (const auto longest = std::ranges::max_element(gathered.asked);
      longest != gathered.asked.end()) {
    gathered.slowest = engine::IdentityOf(
        policy.spec.metrics[static_cast<std::size_t>(longest - gathered.asked.begin())]);
  }
  snapshot.pods_left_out = selection->left_out;
  snapshot.pods = std::move(selection->pods);
  return gathered;
}

// A target without a selector counts its pods, but none can be found for it.
void Gatherer::DoubtCounts(const kube::Resource& resource, const api::ObjectKey& target,
                           const api::Scale& scale, const engine::PodList& pods) {
  const auto read_at = watches_.pods.LastRead(target.namespace_);
  if (!read_at || scale.selector.empty()) {
    return;
  }
  switch (staleness_.LookAtCounts(scale.metadata.uid, scale, pods, *read_at)) {
    case Staleness::Remedy::kNone:
      break;
    case Staleness::Remedy::kAskTarget:
      targets_.Refused(resource, target);
      break;
    case Staleness::Remedy::kReadPods:
      watches_.pods.Reread(target.namespace_);
      break;
  }
}

std::size_t Gatherer::CountPods(const std::string& namespace_) const {
  const cluster::PodCache* store = watches_.pods.StoreOf(namespace_);
  if (store == nullptr) {
    return 0;
  }
  return namespace_.empty() ? store->size() : store->CountIn(namespace_);
}

void Gatherer::DoubtNames(const std::string& namespace_,
                          const std::shared_ptr<const sources::NamespaceMetrics>& metrics) {
  const auto read_at = watches_.pods.LastRead(namespace_);
  const cluster::PodCache* store = watches_.pods.StoreOf(namespace_);
  if (read_at && store != nullptr &&
      staleness_.LookAtNames(namespace_, metrics, *store, *read_at)) {
    watches_.pods.Reread(namespace_);
  }
}

// The autoscalers whose targets may select one of the pods; the engine checks that. If the pods are
// selected by owner, only an autoscaler of one of these owners shares them, whatever labels others
// select.
std::vector<engine::Rival> Gatherer::Rivals(const api::Autoscaler& policy,
                                            const cluster::PodSelection& selection) {
  std::vector<engine::Rival> rivals;
  const std::string& namespace_ = policy.metadata.namespace_;
  const std::set<std::string> pairs = cluster::PairsOf(selection.pods);
  for (api::CrossVersionObjectReference target : watches_.TargetKinds(namespace_)) {
    for (const auto& scale : targets_.MaySelect(target, namespace_, pairs)) {
      if (selection.owned() && !selection.owners.contains(scale->metadata.uid)) {
        continue;
      }
      target.name = scale->metadata.name;
      for (const cluster::AutoscalerPointer& other : watches_.AutoscalersOf(namespace_, target)) {
        if (CountsAsRival(policy, *other)) {
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

}  // namespace ballast::controllers
