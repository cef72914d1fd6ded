#include "operator/admission/cluster_lookup.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "api/autoscaling/metric_source.h"
#include "operator/admission/quota.h"
#include "operator/cluster/conflicts.h"
#include "operator/cluster/pod_selection.h"
#include "operator/cluster/resources.h"
#include "operator/engine/metric/pod_requests.h"

namespace ballast::admission {
namespace {

using webhooks::Facts;

constexpr std::chrono::milliseconds kPatience{1000};  // for one request
// The longest name that Kubernetes allows: an object with a longer one cannot exist.
constexpr std::size_t kMaxName = 253;
// The most that one review reports.
constexpr std::size_t kMaxMissingRequests = 10;

// When this thread's Budget ends.
thread_local std::optional<process::SteadyTime> deadline;

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

}  // namespace

QuickTransport::Budget::Budget(const process::Clock& clock, std::chrono::milliseconds span) {
  deadline = clock.Steady() + span;
}

QuickTransport::Budget::~Budget() { deadline.reset(); }

Result<kube::Response> QuickTransport::Do(const kube::Request& request) {
  kube::Request hurried = request;
  hurried.timeout = std::min(request.timeout, kPatience);
  if (deadline) {
    hurried.timeout =
        std::min(hurried.timeout,
                 std::chrono::floor<std::chrono::milliseconds>(*deadline - clock_.Steady()));
  }
  if (hurried.timeout <= std::chrono::milliseconds(0)) {
    return Error{Code::kTimeout, "there is no time left to ask"};
  }
  return transport_.Do(hurried);
}

Status QuickTransport::Stream(const kube::Request& request, const kube::LineSink& sink,
                              std::stop_token stop) {
  return transport_.Stream(request, sink, std::move(stop));
}

Facts ClusterLookup::LookUp(const api::Autoscaler& autoscaler, std::chrono::milliseconds patience) {
  const QuickTransport::Budget budget(clock_, patience);
  Facts facts;
  facts.may_take_over = options_.take_over_in.Contain(autoscaler.metadata.namespace_);
  for (const auto& [name, namespaces] : options_.metric_sources) {
    if (namespaces.Contain(autoscaler.metadata.namespace_)) {
      facts.metric_sources.push_back(name);
    }
  }
  if (options_.namespace_labels) {
    facts.namespace_labels = FindLabels(autoscaler.metadata.namespace_);
  }
  FindRivals(autoscaler, facts);
  const auto scale = FindTarget(autoscaler, facts);
  engine::PodList pods;  // empty if unknown: then the review says nothing about them
  if (scale) {
    if (auto selection = cluster::SelectPods(watches_.pods.StoreOf(autoscaler.metadata.namespace_),
                                             owners_, autoscaler, *scale);
        selection.ok()) {
      pods = std::move(selection->pods);
    }
  }
  for (const auto& [container, resource] : Utilizations(autoscaler.spec)) {
    if (facts.missing_requests.size() == kMaxMissingRequests) {
      break;
    }
    const auto requests = engine::RequestsOf(pods, container, resource);
    if (!requests.ok()) {
      facts.missing_requests.push_back(requests.error().message);
    }
  }
  FindQuota(autoscaler, pods, facts);
  return facts;
}

std::optional<api::Labels> ClusterLookup::LabelsOf(const std::string& namespace_,
                                                   std::chrono::milliseconds patience) {
  const QuickTransport::Budget budget(clock_, patience);
  return FindLabels(namespace_);
}

std::optional<api::Labels> ClusterLookup::FindLabels(const std::string& namespace_) {
  auto metadata = client_.GetMetadata(kNamespaces, {"", namespace_});
  return metadata.ok() ? std::optional(std::move(metadata->labels)) : std::nullopt;
}

void ClusterLookup::FindRivals(const api::Autoscaler& autoscaler, Facts& facts) {
  auto all = watches_.HpasOf(autoscaler);
  const auto policies = watches_.PoliciesOf(autoscaler);
  all.insert(all.end(), policies.begin(), policies.end());
  for (const auto& other : all) {
    const bool itself =
        other->kind == autoscaler.kind && other->metadata.name == autoscaler.metadata.name;
    if (!itself && StillThere(*other)) {
      facts.rivals.push_back({.who = cluster::NameWithOwner(*other),
                              .scales = api::Scales(*other),
                              .hpa = other->is_policy() ? "" : other->metadata.name});
    }
  }
}

// The watch may be behind, and a rival that was just deleted must not refuse anything. If the API
// server does not answer, the rival counts as present.
bool ClusterLookup::StillThere(const api::Autoscaler& rival) {
  const auto found =
      client_.Get(rival.is_policy() ? cluster::kPolicies : cluster::kHpas, rival.key());
  return found.ok() || found.error().code != Code::kNotFound;
}

std::optional<api::Scale> ClusterLookup::FindTarget(const api::Autoscaler& autoscaler,
                                                    Facts& facts) {
  const api::CrossVersionObjectReference& target = autoscaler.spec.scale_target_ref;
  if (target.name.size() > kMaxName) {
    facts.target = Facts::Target::kMissing;
    return std::nullopt;
  }
  const auto resource = mapper_.Find(target.api_version, target.kind);
  if (!resource.ok()) {
    facts.target = resource.error().code == Code::kNotFound ? Facts::Target::kUnknownKind
                                                            : Facts::Target::kUnknown;
    return std::nullopt;
  }
  if (!resource->has_scale) {
    facts.target = Facts::Target::kNoScale;
    return std::nullopt;
  }
  auto scale = client_.GetScale(*resource, {autoscaler.metadata.namespace_, target.name});
  if (!scale.ok()) {
    facts.target = scale.error().code == Code::kNotFound    ? Facts::Target::kMissing
                   : scale.error().code == Code::kForbidden ? Facts::Target::kForbidden
                                                            : Facts::Target::kUnknown;
    return std::nullopt;
  }
  facts.target = Facts::Target::kFound;
  facts.replicas = scale->spec_replicas;
  return std::move(scale).value();
}

void ClusterLookup::FindQuota(const api::Autoscaler& autoscaler, const engine::PodList& pods,
                              Facts& facts) {
  // An error leaves facts.quota empty: then the review says nothing about quotas.
  (void)client_.List(kQuotas, {.namespace_ = autoscaler.metadata.namespace_},
                     [&](const json::Cursor& quota) -> Status {
                       const auto room = RoomIn(quota, pods);
                       if (room && (!facts.quota || room->replicas < facts.quota->replicas)) {
                         facts.quota = room;
                       }
                       return Done{};
                     });
}

}  // namespace ballast::admission
