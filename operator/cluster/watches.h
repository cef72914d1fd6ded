// What the operator watches besides the targets: policies, the cluster's own HPAs, pods.
//
// Thread-safety: as MultiNamespaceInformer; the objects are shared and never changed.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/kubernetes/meta.h"
#include "operator/cluster/packed_pod.h"
#include "operator/cluster/pod_cache.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/multi_namespace_informer.h"

namespace ballast::cluster {

using AutoscalerPointer = std::shared_ptr<const api::Autoscaler>;

class Watches {
 public:
  // `namespaces` empty: all. Transport and clock must outlive this.
  Watches(kube::Transport& transport, runtime::Clock& clock,
          const std::vector<std::string>& namespaces);

  void Start();
  // Returns when no handler runs any more.
  void Stop();

  // What goes on in each watch.
  std::vector<telemetry::WatchInside> Inside() const;

  // Those that scale the same target as `autoscaler`, itself included.
  std::vector<AutoscalerPointer> PoliciesOf(const api::Autoscaler& autoscaler) const;
  std::vector<AutoscalerPointer> HpasOf(const api::Autoscaler& autoscaler) const;
  // Policies and HPAs that scale the target.
  std::vector<AutoscalerPointer> AutoscalersOf(
      const std::string& namespace_, const api::CrossVersionObjectReference& target) const;
  // The kinds of what the namespace's autoscalers scale; each once, without a name.
  std::vector<api::CrossVersionObjectReference> TargetKinds(const std::string& namespace_) const;

 private:
  struct Kind {
    std::string api_version;  // of one of the autoscalers
    std::size_t autoscalers = 0;
  };
  using Kinds = std::map<std::pair<std::string, std::string>, Kind>;  // by group and kind
  void AddKind(const api::Autoscaler& autoscaler);
  void RemoveKind(const api::Autoscaler& autoscaler);

  // They end last: the watches tell of what they see.
  mutable std::mutex mutex_;            // guards: kinds_
  std::map<std::string, Kinds> kinds_;  // by namespace

 public:
  runtime::MultiNamespaceInformer<api::Autoscaler> policies;
  runtime::MultiNamespaceInformer<api::Autoscaler> hpas;
  runtime::MultiNamespaceInformer<PackedPod, PodCache> pods;
};

extern const kube::Resource kPolicies;
extern const kube::Resource kHpas;

// The object that it scales.
api::ObjectKey TargetKey(const api::Autoscaler& autoscaler);
// Whether both scale the same object of the same namespace.
bool SameTarget(const api::Autoscaler& a, const api::Autoscaler& b);
using api::Scales;

}  // namespace ballast::cluster
