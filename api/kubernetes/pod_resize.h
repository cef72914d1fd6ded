// What a pod has while a resize of it in place is not done: its spec has the new requests already,
// its status what the kubelet has given it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kubernetes/resource_list.h"

namespace ballast::api {

// What a pod's status says of it. The resources are the lower of those that are allocated and those
// that are in force.
struct PodResize {
  struct ContainerHas {
    std::string name;
    ResourceList resources;
  };
  bool unfinished = false;  // the kubelet says so: it is pending, infeasible or under way
  std::int64_t generation = 0;
  std::optional<std::int64_t> observed_generation;
  std::vector<ContainerHas> containers;  // init containers too
  ResourceList pod;

  // Notes a condition of the pod.
  void Note(const std::string& type, const std::string& status);
  // Whether the kubelet has seen the spec as it is and has nothing left to do: what it then reports
  // of resources is the same but for rounding. Before Kubernetes 1.34 it does not say what it saw.
  bool IsDone() const;
};

// Makes `resources` have no more of `name` than `amount`.
void LimitTo(const Quantity& amount, const std::string& name, ResourceList& resources);

}  // namespace ballast::api
