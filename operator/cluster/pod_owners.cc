#include "operator/cluster/pod_owners.h"

#include <utility>

#include "operator/kube/resource.h"

namespace ballast::cluster {
namespace {

constexpr std::chrono::minutes kLifetime{10};
constexpr std::chrono::minutes kRereadAfter{1};
constexpr std::size_t kMaxLevels = 5;  // more than any known kind has

// For Kubernetes' own workloads it is known which kinds stand between them and their pods, so that
// a Job whose pods carry a Deployment's labels costs no request.
bool MayLieBetween(const api::CrossVersionObjectReference& target,
                   const api::OwnerReference& object) {
  const std::string group = kube::GroupOf(target.api_version);
  if (group == "apps") {
    return target.kind == "Deployment" && object.kind == "ReplicaSet" &&
           kube::GroupOf(object.api_version) == group;
  }
  return !group.empty() || target.kind != "ReplicationController";
}

}  // namespace

Result<PodOwners::Uids> PodOwners::Below(const Target& target,
                                         const std::vector<api::OwnerReference>& controllers,
                                         process::SteadyTime deadline) {
  return Search(target, controllers, deadline);
}

std::optional<PodOwners::Uids> PodOwners::BelowAtOnce(
    const Target& target, const std::vector<api::OwnerReference>& controllers) {
  auto below = Search(target, controllers, std::nullopt);
  return below.ok() ? std::optional(*std::move(below)) : std::nullopt;
}

Result<PodOwners::Uids> PodOwners::Search(const Target& target,
                                          const std::vector<api::OwnerReference>& controllers,
                                          AskUntil until) {
  Uids below = {target.uid};
  for (const api::OwnerReference& controller : controllers) {
    ASSIGN_OR_RETURN(auto way, Climb(target, controller, kLifetime, until));
    if (!way) {
      ASSIGN_OR_RETURN(way, Climb(target, controller, kRereadAfter, until));
    }
    if (way) {
      below.merge(*way);
    }
  }
  return below;
}

Result<std::optional<PodOwners::Uids>> PodOwners::Climb(const Target& target,
                                                        const api::OwnerReference& from,
                                                        std::chrono::nanoseconds max_age,
                                                        AskUntil until) {
  Uids way;
  Controller at = from;
  while (at->uid != target.uid) {
    if (way.size() == kMaxLevels || !MayLieBetween(target.reference, *at) ||
        !way.insert(at->uid).second) {
      return std::optional<Uids>();
    }
    ASSIGN_OR_RETURN(at, ControllerOf(target.namespace_, *at, max_age, until));
    if (!at) {
      return std::optional<Uids>();
    }
  }
  return std::optional(std::move(way));
}

Result<PodOwners::Controller> PodOwners::ControllerOf(const std::string& namespace_,
                                                      const api::OwnerReference& object,
                                                      std::chrono::nanoseconds max_age,
                                                      AskUntil until) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = answers_.find(object.uid);
    if (known != answers_.end() && clock_.Steady() - known->second.read_at < max_age) {
      return known->second.controller;
    }
  }
  if (!until) {
    return Error{Code::kUnavailable, "not known yet"};
  }
  Result<Controller> controller = Ask(namespace_, object, *until);
  if (!controller.ok()) {
    return controller.error().In(object.kind + " " + object.name);
  }
  Keep(object.uid, *controller);
  return controller;
}

Result<PodOwners::Controller> PodOwners::Ask(const std::string& namespace_,
                                             const api::OwnerReference& object,
                                             process::SteadyTime deadline) {
  const auto resource = mapper_.Find(object.api_version, object.kind, deadline);
  if (!resource.ok() && resource.error().code != Code::kNotFound) {
    return resource.error();
  }
  // A kind that is not served has no objects, and a cluster-scoped object cannot be owned by one
  // that has a namespace.
  if (!resource.ok() || !resource->namespaced) {
    return Controller();
  }
  const auto metadata = client_.Until(deadline).GetMetadata(*resource, {namespace_, object.name});
  if (!metadata.ok() && metadata.error().code != Code::kNotFound) {
    Error error = metadata.error();
    if (error.code == Code::kForbidden) {
      const std::string group = resource->group.empty() ? "" : "." + resource->group;
      error.message += "; let the operator get " + resource->plural + group +
                       " (the chart's value customOwners), or set spec.podSelection to Selector";
    }
    return error;
  }
  // A new object may have taken the name.
  const bool gone = !metadata.ok() || metadata->uid != object.uid;
  const api::OwnerReference* controller = gone ? nullptr : api::ControllerOf(*metadata);
  return controller == nullptr ? Controller() : Controller(*controller);
}

void PodOwners::Keep(const std::string& uid, const Controller& controller) {
  const process::SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  answers_.insert_or_assign(uid, KnownController{controller, now});
  sweeper_.Sweep([&](const auto& entry) { return now - entry.second.read_at >= kLifetime; },
                 answers_);
}

std::size_t PodOwners::size() const {
  const std::lock_guard lock(mutex_);
  return answers_.size();
}

}  // namespace ballast::cluster
