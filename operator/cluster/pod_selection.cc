#include "operator/cluster/pod_selection.h"

#include <utility>

#include "api/kubernetes/parse_selector.h"

namespace ballast::cluster {
namespace {

bool IsOwned(const api::Autoscaler& autoscaler) {
  return autoscaler.spec.pod_selection == api::kOwnedPods;
}

std::vector<PodCache::Controlled> Matching(const PodCache* pods, const api::Autoscaler& autoscaler,
                                           const api::Scale& scale) {
  const auto selector = api::ParseSelector(scale.selector);
  if (pods == nullptr || !selector.ok() || selector->empty()) {
    return {};
  }
  return pods->SelectByController(autoscaler.metadata.namespace_, *selector);
}

std::vector<api::OwnerReference> ControllersOf(const std::vector<PodCache::Controlled>& pods) {
  std::vector<api::OwnerReference> controllers;
  for (const PodCache::Controlled& controlled : pods) {
    if (!controlled.controller.uid.empty()) {
      controllers.push_back(controlled.controller);
    }
  }
  return controllers;
}

PodOwners::Target TargetOf(const api::Autoscaler& autoscaler, const api::Scale& scale) {
  return {autoscaler.spec.scale_target_ref, autoscaler.metadata.namespace_, scale.metadata.uid};
}

}  // namespace

Result<Ownership> OwnershipOf(const PodCache* pods, PodOwners& owners,
                              const api::Autoscaler& autoscaler, const api::Scale& scale,
                              process::SteadyTime deadline) {
  if (!IsOwned(autoscaler)) {
    return Ownership();
  }
  auto matching = Matching(pods, autoscaler, scale);
  auto below = owners.Below(TargetOf(autoscaler, scale), ControllersOf(matching), deadline);
  if (!below.ok()) {
    const api::CrossVersionObjectReference& target = autoscaler.spec.scale_target_ref;
    return below.error().In("which pods " + target.kind + " " + target.name +
                            " owns cannot be determined");
  }
  return Ownership{std::move(matching), *std::move(below)};
}

std::optional<Ownership> OwnershipAtOnce(const PodCache* pods, PodOwners& owners,
                                         const api::Autoscaler& autoscaler,
                                         const api::Scale& scale) {
  if (!IsOwned(autoscaler)) {
    return Ownership();
  }
  auto matching = Matching(pods, autoscaler, scale);
  auto below = owners.BelowAtOnce(TargetOf(autoscaler, scale), ControllersOf(matching));
  return below ? std::optional(Ownership{std::move(matching), *std::move(below)}) : std::nullopt;
}

PodSelection SelectPods(const PodCache* pods, const Ownership& ownership,
                        const api::Autoscaler& autoscaler, const api::Scale& scale) {
  PodSelection selection;
  if (!IsOwned(autoscaler)) {
    const auto selector = api::ParseSelector(scale.selector);
    if (pods != nullptr && selector.ok() && !selector->empty()) {
      selection.pods = pods->Select(autoscaler.metadata.namespace_, *selector);
    }
    return selection;
  }
  selection.owners = ownership.owners;
  std::vector<PodCache::Pointer> own;
  for (const PodCache::Controlled& controlled : ownership.pods) {
    if (ownership.owners.contains(controlled.controller.uid)) {
      own.insert(own.end(), controlled.pods.begin(), controlled.pods.end());
    } else {
      selection.left_out += static_cast<std::int32_t>(controlled.pods.size());
    }
  }
  selection.pods = PodCache::Unpack(std::move(own));
  return selection;
}

Result<PodSelection> SelectPods(const PodCache* pods, PodOwners& owners,
                                const api::Autoscaler& autoscaler, const api::Scale& scale,
                                process::SteadyTime deadline) {
  ASSIGN_OR_RETURN(const Ownership ownership,
                   OwnershipOf(pods, owners, autoscaler, scale, deadline));
  return SelectPods(pods, ownership, autoscaler, scale);
}

}  // namespace ballast::cluster
