#include "api/kubernetes/pod_resize.h"

#include <utility>

namespace ballast::api {

void PodResize::Note(const std::string& type, const std::string& status) {
  unfinished |= status == "True" && (type == kPodResizePending || type == "PodResizeInProgress");
}

void LimitTo(const Quantity& amount, const std::string& name, ResourceList& resources) {
  const auto [known, added] = resources.emplace(name, amount);
  if (!added && amount < known->second) {
    known->second = amount;
  }
}

void Apply(PodResize resize, Pod& pod) {
  if (!resize.unfinished) {
    return;
  }
  pod.pod_has = std::move(resize.pod);
  for (PodResize::ContainerHas& has : resize.containers) {
    for (auto* containers : {&pod.containers, &pod.init_containers}) {
      for (Container& container : *containers) {
        if (container.name == has.name) {
          container.has = std::move(has.resources);
        }
      }
    }
  }
}

}  // namespace ballast::api
