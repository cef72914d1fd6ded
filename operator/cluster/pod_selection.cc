#include "operator/cluster/pod_selection.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/kubernetes/label_selector.h"

namespace ballast::cluster {

Result<PodSelection> SelectPods(const PodCache* pods, PodOwners& owners,
                                const api::Autoscaler& autoscaler, const api::Scale& scale) {
  PodSelection selection;
  const std::string& namespace_ = autoscaler.metadata.namespace_;
  const auto selector = api::ParseSelector(scale.selector);
  if (pods == nullptr || !selector.ok() || selector->empty()) {
    return selection;
  }
  if (autoscaler.spec.pod_selection != api::kOwnedPods) {
    selection.pods = pods->Select(namespace_, *selector);
    return selection;
  }
  std::size_t matching = 0;
  std::vector<api::OwnerReference> controllers;
  for (auto& [controller, count] : pods->Controllers(namespace_, *selector)) {
    matching += count;
    if (!controller.uid.empty()) {
      controllers.push_back(std::move(controller));
    }
  }
  const api::CrossVersionObjectReference& target = autoscaler.spec.scale_target_ref;
  auto below = owners.Below({target, namespace_, scale.metadata.uid}, controllers);
  if (!below.ok()) {
    return below.error().In("which pods " + target.kind + " " + target.name +
                            " owns cannot be determined");
  }
  selection.owners = std::move(below).value();
  selection.pods = pods->Select(namespace_, *selector, &selection.owners);
  // The cache may have gained a pod between the two searches.
  selection.left_out =
      static_cast<std::int32_t>(matching - std::min(matching, selection.pods.size()));
  return selection;
}

}  // namespace ballast::cluster
