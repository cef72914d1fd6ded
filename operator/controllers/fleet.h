// What the operator watches besides the targets: policies, the cluster's own HPAs, pods.
//
// Thread-safety: as Watched; the objects are shared and never changed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling.h"
#include "api/meta.h"
#include "operator/controllers/packed_pod.h"
#include "operator/controllers/pod_store.h"
#include "operator/controllers/watched.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

using AutoscalerPointer = std::shared_ptr<const api::Autoscaler>;

class Fleet {
 public:
  // `namespaces` empty: all. Transport and clock must outlive this.
  Fleet(kube::Transport& transport, runtime::Clock& clock,
        const std::vector<std::string>& namespaces);

  void Start();

  // Those that scale the same target as `autoscaler`, itself included.
  std::vector<AutoscalerPointer> PoliciesOf(const api::Autoscaler& autoscaler) const;
  std::vector<AutoscalerPointer> HpasOf(const api::Autoscaler& autoscaler) const;
  // Policies and HPAs that scale the target.
  std::vector<AutoscalerPointer> AutoscalersOf(
      const std::string& namespace_, const api::CrossVersionObjectReference& target) const;
  // The kinds of what the namespace's autoscalers scale, or have scaled; each once, without a name.
  std::vector<api::CrossVersionObjectReference> TargetKinds(const std::string& namespace_) const;

  Watched<api::Autoscaler> policies;
  Watched<api::Autoscaler> hpas;
  Watched<PackedPod, PodStore> pods;

 private:
  using Kind = std::pair<std::string, std::string>;  // group and kind
  void NoteKind(const api::Autoscaler& autoscaler);

  mutable std::mutex mutex_;  // guards: kinds_
  // By namespace; with an apiVersion of each.
  std::map<std::string, std::map<Kind, std::string>> kinds_;
};

extern const kube::Resource kPolicies;
extern const kube::Resource kHpas;

// The object that it scales.
api::ObjectKey TargetKey(const api::Autoscaler& autoscaler);
// Whether both scale the same object: group, kind, namespace and name (the version does not count).
bool SameTarget(const api::Autoscaler& a, const api::Autoscaler& b);
// Whether it scales its target: not a policy that is switched off or only looks on.
bool Scales(const api::Autoscaler& autoscaler);

}  // namespace ballast::controllers
