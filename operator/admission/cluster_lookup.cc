#include "operator/admission/cluster_lookup.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "api/autoscaling/metric_source.h"
#include "api/autoscaling/mode.h"
#include "operator/admission/quota.h"
#include "operator/cluster/conflicts.h"
#include "operator/cluster/end_silence.h"
#include "operator/cluster/pod_selection.h"
#include "operator/cluster/resources.h"
#include "operator/cluster/watch_silence.h"
#include "operator/engine/effective.h"
#include "operator/engine/metric/pod_requests.h"

namespace ballast::admission {
namespace {

using webhooks::Facts;

// The longest name that Kubernetes allows: an object with a longer one cannot exist.
constexpr std::size_t kMaxName = 253;
// The most that one review reports.
constexpr std::size_t kMaxMissingRequests = 10;

const kube::Resource kQuotas{.version = "v1", .plural = "resourcequotas", .kind = "ResourceQuota"};

const kube::Resource kNamespaces{
    .version = "v1", .plural = "namespaces", .kind = "Namespace", .namespaced = false};

// The container (empty: the pod) and the resource of each metric whose target is a utilization.
std::set<std::pair<std::string, std::string>> Utilizations(const api::AutoscalerSpec& spec) {
  std::set<std::pair<std::string, std::string>> found;
  for (const api::MetricSpec& metric : spec.metrics) {
    api::VisitSource(metric,
                     api::SourceVisitor{[&](const api::ResourceMetricSource& resource) {
                                          if (resource.target.average_utilization) {
                                            found.emplace("", resource.name);
                                          }
                                        },
                                        [&](const api::ContainerResourceMetricSource& resource) {
                                          if (resource.target.average_utilization) {
                                            found.emplace(resource.container, resource.name);
                                          }
                                        },
                                        [](const auto&) {}});
  }
  return found;
}

std::optional<api::Labels> FindLabels(kube::Client& client, const std::string& namespace_) {
  auto metadata = client.GetMetadata(kNamespaces, {"", namespace_});
  return metadata.ok() ? std::optional(*metadata->labels) : std::nullopt;
}

// The watch may be behind, and a rival that was just deleted must not refuse anything. If the API
// server does not answer, the rival counts as present.
bool StillThere(kube::Client& client, const api::Autoscaler& rival) {
  const auto found =
      client.Get(rival.is_policy() ? cluster::kPolicies : cluster::kHpas, rival.key());
  return found.ok() || found.error().code != Code::kNotFound;
}

// An error leaves facts.quota empty: then the review says nothing about quotas.
void FindQuota(kube::Client& client, const std::string& namespace_, const engine::PodList& pods,
               Facts& facts) {
  (void)client.List(kQuotas, {.namespace_ = namespace_}, [&](const json::Cursor& quota) -> Status {
    const auto room = RoomIn(quota, pods);
    if (room && (!facts.quota || room->replicas < facts.quota->replicas)) {
      facts.quota = room;
    }
    return Done{};
  });
}

}  // namespace

Facts ClusterLookup::LookUp(const api::Autoscaler& autoscaler, std::chrono::milliseconds timeout) {
  const process::SteadyTime deadline = clock_.Steady() + timeout;
  kube::Client client = client_.Until(deadline);
  Facts facts;
  facts.may_take_over = options_.take_over_in.Contain(autoscaler.metadata.namespace_);
  for (const auto& [name, namespaces] : options_.metric_sources) {
    if (namespaces.Contain(autoscaler.metadata.namespace_)) {
      facts.metric_sources.push_back(name);
    }
  }
  if (options_.namespace_labels) {
    facts.namespace_labels = FindLabels(client, autoscaler.metadata.namespace_);
  }
  facts.silence = EndSilence(autoscaler.metadata.namespace_, deadline);
  FindRivals(autoscaler, client, facts);
  const auto scale = FindTarget(autoscaler, deadline, facts);
  engine::PodList pods;  // empty if unknown: then the review says nothing about them
  if (scale) {
    if (auto selection = cluster::SelectPods(watches_.pods.StoreOf(autoscaler.metadata.namespace_),
                                             owners_, autoscaler, *scale, deadline);
        selection.ok()) {
      pods = std::move(selection->pods);
    }
  }
  for (const auto& [container, resource] : Utilizations(autoscaler.spec)) {
    if (facts.missing_requests.size() == kMaxMissingRequests) {
      break;
    }
    const auto requests =
        engine::RequestsOf(pods, container, resource, engine::QuirksOf(autoscaler.is_policy(), {}));
    if (!requests.ok()) {
      facts.missing_requests.push_back(requests.error().message);
    }
  }
  FindQuota(client, autoscaler.metadata.namespace_, pods, facts);
  return facts;
}

std::vector<cluster::AutoscalerPointer> ClusterLookup::SubjectsOf(
    const api::AutoScaleOverride& override) {
  std::vector<cluster::AutoscalerPointer> subjects;
  for (const api::ObjectReference& subject : watches_.SubjectsOf(override)) {
    if (cluster::AutoscalerPointer found = watches_.Find(subject)) {
      subjects.push_back(std::move(found));
    }
  }
  return subjects;
}

std::optional<api::Labels> ClusterLookup::LabelsOf(const std::string& namespace_,
                                                   std::chrono::milliseconds timeout) {
  kube::Client client = client_.Until(clock_.Steady() + timeout);
  return FindLabels(client, namespace_);
}

void ClusterLookup::FindRivals(const api::Autoscaler& autoscaler, kube::Client& client,
                               Facts& facts) {
  auto all = watches_.HpasOf(autoscaler);
  const auto policies = watches_.PoliciesOf(autoscaler);
  all.insert(all.end(), policies.begin(), policies.end());
  for (const auto& other : all) {
    const bool itself =
        other->kind == autoscaler.kind && other->metadata.name == autoscaler.metadata.name;
    if (!itself && StillThere(client, *other)) {
      facts.rivals.push_back({.who = cluster::NameWithOwner(*other),
                              .scales = api::Scales(*other),
                              .hpa = other->is_policy() ? "" : other->metadata.name});
    }
  }
}

// A server that sends no bookmarks is silent wherever nothing changes. So only a watch whose
// objects cannot be listed again either may lack some.
std::string ClusterLookup::EndSilence(const std::string& namespace_, process::SteadyTime deadline) {
  const process::SteadyTime now = clock_.Steady();
  const std::chrono::nanoseconds limit(options_.max_view_age.nanoseconds);
  std::vector<std::pair<const Watch*, std::chrono::nanoseconds>> silent;
  for (const Watch* watch : {&watches_.policies, &watches_.hpas}) {
    const auto lasted = cluster::EndSilence(*watch, namespace_, now, limit);
    if (lasted > limit) {
      silent.emplace_back(watch, *lasted);
    }
  }
  deadline = std::min<process::SteadyTime>(deadline, now + kForOne);
  cluster::WatchSilence silence;
  for (const auto& [watch, lasted] : silent) {
    const auto since = now - lasted + std::chrono::nanoseconds(1);
    if (!watch->WaitForSync(namespace_, deadline - clock_.Steady(), since)) {
      silence.emplace(watch->name(), lasted);
    }
  }
  return cluster::Describe(silence, limit);
}

std::optional<api::Scale> ClusterLookup::FindTarget(const api::Autoscaler& autoscaler,
                                                    process::SteadyTime deadline, Facts& facts) {
  const api::CrossVersionObjectReference& target = autoscaler.spec.scale_target_ref;
  if (target.name.size() > kMaxName) {
    facts.target = Facts::TargetState::kMissing;
    return std::nullopt;
  }
  const auto resource =
      mapper_.Find(target.api_version, target.kind, std::min(deadline, clock_.Steady() + kForOne));
  if (!resource.ok()) {
    facts.target = resource.error().code == Code::kNotFound ? Facts::TargetState::kUnknownKind
                                                            : Facts::TargetState::kUnknown;
    return std::nullopt;
  }
  if (!resource->has_scale) {
    facts.target = Facts::TargetState::kNoScale;
    return std::nullopt;
  }
  auto scale =
      client_.Until(deadline).GetScale(*resource, {autoscaler.metadata.namespace_, target.name});
  if (!scale.ok()) {
    facts.target = scale.error().code == Code::kNotFound    ? Facts::TargetState::kMissing
                   : scale.error().code == Code::kForbidden ? Facts::TargetState::kForbidden
                                                            : Facts::TargetState::kUnknown;
    return std::nullopt;
  }
  facts.target = Facts::TargetState::kFound;
  facts.replicas = scale->spec_replicas;
  return std::move(scale).value();
}

}  // namespace ballast::admission
