// The workload that is scaled: v1 Pod, reduced to what Ballast needs, and autoscaling/v1 Scale.
//
// Thread-safety: plain values; threads share a pod as shared_ptr<const Pod>.
// Errors: none here; Decode notes what does not fit as a problem of the Decoder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/base/shared.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/meta.h"
#include "api/kubernetes/pod_resize.h"
#include "api/kubernetes/resource_list.h"

namespace ballast::api {

struct Container {
  std::string name;
  ResourceList requests;
  bool restart_always = false;  // an init container that is a sidecar
  // While a resize of the pod is not done: of what it has less than it requests, how much.
  ResourceList has = {};
};

struct Pod {
  ObjectMeta metadata;
  Shared<std::vector<Container>> containers;
  Shared<std::vector<Container>> init_containers;
  ResourceList pod_requests;  // spec.resources.requests: pod-level
  ResourceList pod_has;       // of these, as Container::has
  bool has_pod_resources = false;
  ResourceList overhead;
  std::string phase;
  std::optional<Time> start_time;
  std::optional<Condition> ready;  // the condition of type Ready

  // Whether its containers have ended for good.
  bool has_ended() const { return phase == "Succeeded" || phase == "Failed"; }
};

struct Scale {
  ObjectMeta metadata;
  std::int32_t spec_replicas = 0;
  std::int32_t status_replicas = 0;
  std::string selector;  // status.selector
  // Of spec.replicas; a /scale subresource does not say, and Encode leaves it out.
  std::optional<FieldManager> replicas_manager;
};

// Sets Container::has and Pod::pod_has while the resize is not done.
void Apply(PodResize resize, Pod& pod);

void Decode(const json::Cursor& in, Pod& out);
void Decode(const json::Cursor& in, Scale& out);
void Encode(json::Writer& out, const Pod& pod);
void Encode(json::Writer& out, const Scale& scale);

}  // namespace ballast::api
