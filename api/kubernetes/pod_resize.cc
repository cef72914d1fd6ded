#include "api/kubernetes/pod_resize.h"

namespace ballast::api {

void PodResize::Note(const std::string& type, const std::string& status) {
  unfinished |= status == "True" && (type == "PodResizePending" || type == "PodResizeInProgress");
}

bool PodResize::IsDone() const {
  return !unfinished && observed_generation && *observed_generation >= generation;
}

void LimitTo(const Quantity& amount, const std::string& name, ResourceList& resources) {
  const auto [known, added] = resources.emplace(name, amount);
  if (!added && amount < known->second) {
    known->second = amount;
  }
}

}  // namespace ballast::api
