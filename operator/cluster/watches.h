// The watches of policies, HPAs, overrides, the events about HPAs' scalings, and pods. Those of
// scale targets are in scale_targets.h.
//
// Thread-safety: add handlers before Start(); everything else from any thread. The objects are
// shared and immutable.
// Errors: none; informers log a failed list or watch and retry it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/cluster/overrides.h"
#include "operator/cluster/packed_pod.h"
#include "operator/cluster/pod_cache.h"
#include "operator/cluster/rescale_event.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/runtime/multi_namespace_informer.h"

namespace ballast::cluster {

using AutoscalerPointer = std::shared_ptr<const api::Autoscaler>;

// How objects are read.
struct ObjectReading {
  // Whether HPAs without the annotation ballast.dev/hpa-mode are managed.
  bool manages_by_default = false;
  // Whether a webhook sets the owner of overrides; what they say without one, anybody can write.
  bool stamps_owners = true;
  Duration longest_override = api::kUsualLongestOverride;
};

class Watches {
 public:
  // Empty `namespaces`: all. Transport, clock and `pool` (as Informer's) must outlive the Watches.
  Watches(kube::Transport& transport, process::Clock& clock,
          const std::vector<std::string>& namespaces, ObjectReading reading = {},
          process::TurnPool* pool = nullptr);
  // Out of line: else whoever owns one compiles how all of it ends.
  ~Watches();

  void Start();
  // Returns once no handler runs any more.
  void Stop();

  // The state of each watch, for the debug page.
  std::vector<telemetry::WatchDebugState> DebugState() const;

  // The policy or HPA; null: there is none.
  AutoscalerPointer Find(const api::ObjectReference& autoscaler) const;
  // Those that scale the same target as `autoscaler`, which is one of them.
  std::vector<AutoscalerPointer> PoliciesOf(const api::Autoscaler& autoscaler) const;
  std::vector<AutoscalerPointer> HpasOf(const api::Autoscaler& autoscaler) const;
  // The overrides that are about the autoscaler, by its name or its labels, without those that had
  // ended by `since`: they are kept for a month, so there may be hundreds.
  std::vector<OverridePointer> OverridesOf(const api::Autoscaler& autoscaler, Time since) const;
  // What the override is about: the autoscaler that it names, whether or not there is one; or all
  // whose labels it selects.
  std::vector<api::ObjectReference> SubjectsOf(const api::AutoScaleOverride& override) const;
  // Policies and HPAs that scale the target.
  std::vector<AutoscalerPointer> AutoscalersOf(
      const std::string& namespace_, const api::CrossVersionObjectReference& target) const;
  // What the HPA's controller said when, at `since` or later, it last scaled to `size` replicas;
  // null: nothing.
  RescaleEventPointer LastRescale(const api::Autoscaler& hpa, std::int32_t size, Time since) const;
  // The kinds of the namespace's scale targets; each once, without a name.
  std::vector<api::CrossVersionObjectReference> TargetKinds(const std::string& namespace_) const;

 private:
  struct Kind {
    std::string api_version;  // as one of the autoscalers writes it
    std::size_t autoscalers = 0;
  };
  using Kinds = std::map<std::pair<std::string, std::string>, Kind>;  // by group and kind
  void AddKind(const api::Autoscaler& autoscaler);
  void RemoveKind(const api::Autoscaler& autoscaler);

  // Declared before the informers, so destroyed after them: their handlers use these.
  mutable std::mutex mutex_;            // guards: kinds_
  std::map<std::string, Kinds> kinds_;  // by namespace

 public:
  runtime::MultiNamespaceInformer<api::Autoscaler> policies;
  runtime::MultiNamespaceInformer<api::Autoscaler> hpas;
  runtime::MultiNamespaceInformer<api::AutoScaleOverride> overrides;
  runtime::MultiNamespaceInformer<RescaleEvent> rescales;
  runtime::MultiNamespaceInformer<PackedPod, PodCache> pods;
};

// The object that the autoscaler scales.
api::ObjectKey TargetKey(const api::Autoscaler& autoscaler);
// Whether both scale the same object.
bool SameTarget(const api::Autoscaler& a, const api::Autoscaler& b);
using api::Scales;

}  // namespace ballast::cluster
