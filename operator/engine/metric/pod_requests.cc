#include "operator/engine/metric/pod_requests.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "operator/engine/numbers.h"

namespace ballast::engine {
namespace {

using api::Container;
using api::Pod;
using api::ResourceList;

const Quantity* Find(const ResourceList& list, const std::string& resource) {
  const auto found = list.find(resource);
  return found == list.end() ? nullptr : &found->second;
}

// The resource of a request, and how it is looked up.
struct AskedRequest {
  const std::string& resource;
  const Quirks& quirks;
  Numbers numbers{quirks};

  // What is requested; what the pod has of it, if that is less and counts.
  const Quantity* Of(const ResourceList& requests, const ResourceList& has) const {
    const Quantity* less = quirks.trusts_pending_resizes ? nullptr : Find(has, resource);
    return less != nullptr ? less : Find(requests, resource);
  }
  const Quantity* Of(const Container& container) const {
    return Of(container.requests, container.has);
  }
};

// Pod-level resources exist for cpu, memory and huge pages only.
bool HasPodLevel(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

bool HasPodLevelRequests(const Pod& pod) {
  return std::any_of(pod.pod_requests.begin(), pod.pod_requests.end(),
                     [](const auto& entry) { return HasPodLevel(entry.first); });
}

void AddTo(std::optional<Quantity>& sum, const Quantity* more) {
  if (more != nullptr) {
    sum = sum ? *sum + *more : *more;
  }
}

void RaiseTo(std::optional<Quantity>& largest, const std::optional<Quantity>& other) {
  if (other && (!largest || *other > *largest)) {
    largest = other;
  }
}

// The most that the containers request at one time: the regular ones with the sidecars, or an init
// container with the sidecars started before it. Absent if none requests the resource.
// (KEP 753, "Resources calculation for scheduling and pod admission".)
std::optional<Quantity> AggregateOfContainers(const Pod& pod, const AskedRequest& asked) {
  std::optional<Quantity> running;
  for (const Container& container : pod.containers) {
    AddTo(running, asked.Of(container));
  }
  std::optional<Quantity> sidecars;
  std::optional<Quantity> starting;
  for (const Container& container : pod.init_containers) {
    const Quantity* request = asked.Of(container);
    if (container.restart_always) {
      AddTo(running, request);
      AddTo(sidecars, request);
      RaiseTo(starting, sidecars);
    } else {
      std::optional<Quantity> init;
      AddTo(init, request);
      AddTo(init, sidecars ? &*sidecars : nullptr);
      RaiseTo(starting, init);
    }
  }
  RaiseTo(running, starting);
  return running;
}

// The request of the whole pod: its pod-level request or, without one, its containers'.
Result<std::int64_t> PodLevelRequest(const Pod& pod, const AskedRequest& asked) {
  const Quantity* own =
      HasPodLevel(asked.resource) ? asked.Of(pod.pod_requests, pod.pod_has) : nullptr;
  std::optional<Quantity> request =
      own != nullptr ? std::optional(*own) : AggregateOfContainers(pod, asked);
  if (asked.quirks.requests_overhead) {
    AddTo(request, Find(pod.overhead, asked.resource));
  }
  if (!request) {
    return Error{Code::kInvalid, "missing pod-level request for " + asked.resource + " in Pod " +
                                     pod.metadata.name};
  }
  return asked.numbers.Milli(*request);
}

// The request of the container named `wanted`, or the sum of all if that is empty. Only containers
// that run as long as the pod count: the regular ones, then the sidecars.
Result<std::int64_t> ContainerRequests(const Pod& pod, std::string_view wanted,
                                       const AskedRequest& asked) {
  std::int64_t sum = 0;
  for (const auto* containers : {&pod.containers, &pod.init_containers}) {
    for (const Container& container : *containers) {
      const bool runs_on = containers == &pod.containers || container.restart_always;
      if (!runs_on || (!wanted.empty() && container.name != wanted)) {
        continue;
      }
      const Quantity* request = asked.Of(container);
      if (request == nullptr) {
        return Error{Code::kInvalid, "missing request for " + asked.resource + " in container " +
                                         container.name + " of Pod " + pod.metadata.name};
      }
      sum = asked.numbers.Add(sum, asked.numbers.Milli(*request));
      if (container.name == wanted) {
        return sum;
      }
    }
  }
  if (!wanted.empty()) {
    return Error{Code::kInvalid,
                 "container " + std::string(wanted) + " not found in Pod " + pod.metadata.name};
  }
  return sum;
}

}  // namespace

Result<Requests> RequestsOf(const PodList& pods, std::string_view container,
                            std::string_view resource, const Quirks& quirks) {
  const std::string name(resource);
  const AskedRequest asked{name, quirks};
  std::vector<Requests::Entry> requests;
  requests.reserve(pods.size());
  for (const auto& pod : pods) {
    const bool whole_pod = container.empty() && HasPodLevelRequests(*pod);
    ASSIGN_OR_RETURN(const std::int64_t request, whole_pod
                                                     ? PodLevelRequest(*pod, asked)
                                                     : ContainerRequests(*pod, container, asked));
    requests.emplace_back(pod->metadata.name, request);
  }
  return Requests(std::move(requests));
}

}  // namespace ballast::engine
