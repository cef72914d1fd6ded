// What a pod has while a resize of it in place is pending, infeasible or under way: its spec has
// the new requests already, its status what the kubelet has given it.
#pragma once

#include <string>
#include <vector>

#include "api/kubernetes/resource_list.h"

namespace ballast::api {

// The condition of a pod whose node has not taken up new requests yet, or cannot.
inline constexpr const char* kPodResizePending = "PodResizePending";

// What a pod's status says of it. The resources are the lower of those that are allocated and those
// that are in force.
struct PodResize {
  struct ContainerHas {
    std::string name;
    ResourceList resources;
  };
  bool unfinished = false;
  std::vector<ContainerHas> containers;  // init containers too
  ResourceList pod;

  // Notes a condition of the pod.
  void Note(const std::string& type, const std::string& status);
};

// Makes `resources` have no more of `name` than `amount`.
void LimitTo(const Quantity& amount, const std::string& name, ResourceList& resources);

}  // namespace ballast::api
