// What the operator watches besides the targets: policies, the cluster's own HPAs, pods.
//
// Thread-safety: as Watched; the objects are shared and never changed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/autoscaling.h"
#include "api/workload.h"
#include "operator/controllers/watched.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

using AutoscalerPointer = std::shared_ptr<const api::Autoscaler>;

struct Fleet {
  // `namespaces` empty: all. Transport and clock must outlive this.
  Fleet(kube::Transport& transport, runtime::Clock& clock,
        const std::vector<std::string>& namespaces);

  void Start();

  Watched<api::Autoscaler> policies;
  Watched<api::Autoscaler> hpas;
  Watched<api::Pod> pods;
};

extern const kube::Resource kPolicies;

// Whether both scale the same object: group, kind, namespace and name (the version does not count).
bool SameTarget(const api::Autoscaler& a, const api::Autoscaler& b);

}  // namespace ballast::controllers
