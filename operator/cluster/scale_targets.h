// The scale of any target: from a watch of its kind where that is possible and fresh, else asked
// for.
//
// A kind is watched from the first time on that a target of it is wanted. A GET of the scale serves
// while the watch fills, where the operator has no right to list the kind, where the kind's paths
// are not known, when the object is not in the watch, and when the watch's view was refused. What
// was read live, by that or otherwise, answers until the watch has caught up (live_views.h); a
// watch that does not in time is read anew. Thread-safety: any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/kubernetes/workload.h"
#include "operator/cluster/live_views.h"
#include "operator/cluster/scale_paths.h"
#include "operator/cluster/selector_index.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/multi_namespace_informer.h"

namespace ballast::cluster {

class ScaleTargets {
 public:
  // All must outlive this. `namespaces` empty: all.
  ScaleTargets(kube::Transport& transport, kube::Client& client, kube::RestMapper& mapper,
               runtime::Clock& clock, std::vector<std::string> namespaces)
      : transport_(transport),
        client_(client),
        mapper_(mapper),
        clock_(clock),
        namespaces_(std::move(namespaces)),
        live_(clock) {}

  // The resource that serves the reference. kInvalid: it has no scale subresource.
  Result<kube::Resource> Resolve(const api::CrossVersionObjectReference& reference);

  // The target's scale as fresh as the watch, and never older than what was Learned().
  Result<api::Scale> Read(const kube::Resource& resource, const api::ObjectKey& key);

  // Of the targets of that kind in the namespace, as far as they are watched, those whose selectors
  // may match what has these labels (selector_index.h). `kind` has no name.
  std::vector<std::shared_ptr<const api::Scale>> MaySelect(
      const api::CrossVersionObjectReference& kind, const std::string& namespace_,
      const std::set<std::string>& pairs);

  // What the API server just answered when it was asked for the scale, or to change it. kNotFound:
  // the target is gone; any other error teaches nothing.
  void Learned(const kube::Resource& resource, const api::ObjectKey& key,
               const Result<api::Scale>& answer);

  // The API server refused a write that was based on Read(): the scale is asked for next time.
  void Refused(const kube::Resource& resource, const api::ObjectKey& key);

  // Of how many targets the watch is behind what was Learned().
  std::size_t ahead() const { return live_.size(); }

  // Of what is watched ("deployments.apps"), when the server last told anything; nullopt: not yet.
  std::map<std::string, std::optional<runtime::SteadyTime>> LastHeard() const;

  // What goes on in each watch.
  std::vector<telemetry::WatchInside> Inside() const;

 private:
  struct ScaleWatch {
    SelectorIndex selectors;
    runtime::MultiNamespaceInformer<WatchedScale> scales;  // ends first: it tells of what it sees
  };
  struct Kind {
    std::unique_ptr<ScaleWatch> watch;  // null: not possible, for now
    std::optional<runtime::SteadyTime> try_at = runtime::SteadyTime();  // empty: somebody is at it
  };

  // The watch of the kind, started if need be; null when it cannot be watched, and while another
  // thread starts it.
  ScaleWatch* WatchOf(const kube::Resource& resource);
  std::unique_ptr<ScaleWatch> StartWatch(const kube::Resource& resource);
  bool MayList(const kube::Resource& resource);
  // The kind's watch as it is now, null while there is none; nullopt: none and none to come.
  std::optional<const ScaleWatch*> WatchNow(const kube::Resource& resource);

  kube::Transport& transport_;
  kube::Client& client_;
  kube::RestMapper& mapper_;
  runtime::Clock& clock_;
  const std::vector<std::string> namespaces_;
  LiveViews live_;
  mutable std::mutex mutex_;           // guards: the rest
  std::map<std::string, Kind> kinds_;  // ends first: its watches tell of what they see
};

}  // namespace ballast::cluster
