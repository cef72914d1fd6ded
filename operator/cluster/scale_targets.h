// The scale of any target: from a watch of its kind where there is one that is fresh, else from a
// GET of the scale.
//
// The watch of a kind starts when one of its targets is first requested. A GET is used while the
// watch fills, or has been silent for too long, where the operator may not list the kind, where the
// kind's scale paths are unknown, for an object that the watch does not have, and after the API
// server refused a write that was based on the watch's view. The answers take precedence until the
// watch has caught up (live_views.h); a watch that stays behind is listed again, and at the call of
// KeepWatched() one that is silent.
//
// Thread-safety: any thread; requests run on the caller's thread.
// Errors: the API server's, from Resolve, Read and Find. A kind that cannot be watched is logged
// and tried again after ten minutes.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/workload.h"
#include "operator/cluster/live_views.h"
#include "operator/cluster/read_scales.h"
#include "operator/cluster/scale_paths.h"
#include "operator/cluster/selector_index.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/runtime/multi_namespace_informer.h"

namespace ballast::cluster {

class ScaleTargets {
 public:
  // The first four arguments and `pool` (as Informer's) must outlive the ScaleTargets. Empty
  // `namespaces`: all. `max_silence`: of a watch, which shows nothing after that.
  ScaleTargets(kube::Transport& transport, kube::Client& client, kube::RestMapper& mapper,
               process::Clock& clock, std::vector<std::string> namespaces, Duration max_silence,
               process::TurnPool* pool = nullptr)
      : transport_(transport),
        client_(client),
        mapper_(mapper),
        clock_(clock),
        namespaces_(std::move(namespaces)),
        pool_(pool),
        max_silence_(max_silence.nanoseconds),
        live_(clock) {}

  // The resource that serves the reference. kInvalid: it has no scale subresource; else
  // RestMapper's error.
  Result<kube::Resource> Resolve(const api::CrossVersionObjectReference& reference);

  // The same, for whoever must not wait: of a kind that was found before, however long ago that is,
  // nothing is asked.
  Result<kube::Resource> ResolveKnown(const api::CrossVersionObjectReference& reference);

  // The target's scale, as fresh as the watch and never older than what OnAnswered() got in the
  // last seconds (LiveViews::kAnswerTtl).
  Result<api::Scale> Read(const kube::Resource& resource, const api::ObjectKey& key);

  // Resolve(), and then Read().
  Result<api::Scale> Find(const api::CrossVersionObjectReference& reference,
                          const api::ObjectKey& key);
  // The same without a request; nullopt: it would take one.
  std::optional<Result<api::Scale>> FindAtOnce(const api::CrossVersionObjectReference& reference,
                                               const api::ObjectKey& key);

  // The targets of that kind in the namespace whose selectors may match an object with these labels
  // (selector_index.h). `kind` has no name. Of a kind that is not watched (StartWatching), or whose
  // watch is silent, those that were read (MustRead). Sends no requests.
  std::vector<std::shared_ptr<const api::Scale>> MaySelect(
      const api::CrossVersionObjectReference& kind, const std::string& namespace_,
      const std::set<std::string>& pairs);

  // Whether the kind could not be watched when that was last tried, or its watch has told nothing
  // of the namespace for too long.
  bool CannotWatch(const api::CrossVersionObjectReference& kind, const std::string& namespace_);
  // Whether MaySelect() can find the target only after a Find(): its kind cannot be watched, and it
  // was not read of late.
  bool MustRead(const api::CrossVersionObjectReference& target, const std::string& namespace_);

  // Has what is watched of the namespace listed again before its watch is silent for too long
  // (end_silence.h). Returns whether CannotWatch() is true of no kind, also of none that only other
  // namespaces have.
  bool KeepWatched(const std::string& namespace_);

  // Starts the watch of that kind, unless it has begun or cannot be.
  void StartWatching(const api::CrossVersionObjectReference& kind);
  // Whether that would send a request.
  bool MustStart(const api::CrossVersionObjectReference& kind);

  // The watched targets in the namespace whose selectors match these labels. Sends no requests: of
  // a kind whose watch has not begun there are none.
  std::vector<api::CrossVersionObjectReference> Selecting(const std::string& namespace_,
                                                          const api::Labels& labels) const;

  // Records the API server's answer to a read or a write of the scale. kNotFound: the target is
  // gone; any other error is ignored.
  void OnAnswered(const kube::Resource& resource, const api::ObjectKey& key,
                  const Result<api::Scale>& answer);

  // The watch's view of the scale may be wrong, or must not be: the next Read() sends a GET.
  void Invalidate(const api::CrossVersionObjectReference& reference, const api::ObjectKey& key);

  // When the server last sent anything, by watched resource ("deployments.apps"); nullopt: nothing
  // yet.
  std::map<std::string, std::optional<process::SteadyTime>> LastHeard() const;

  // The state of each watch, for the debug page.
  std::vector<telemetry::WatchDebugState> DebugState() const;

 private:
  struct ScaleWatch {
    api::CrossVersionObjectReference kind;  // without a name
    process::SteadyTime started;
    SelectorIndex selectors;
    runtime::MultiNamespaceInformer<WatchedScale> scales;  // last: its handlers use the others
  };
  // By what the paths of its objects have.
  struct ByPath {
    bool operator()(const kube::Resource& a, const kube::Resource& b) const {
      return std::tie(a.group, a.version, a.plural) < std::tie(b.group, b.version, b.plural);
    }
  };
  struct Kind {
    std::unique_ptr<ScaleWatch> watch;  // null: not watched, for now
    std::optional<process::SteadyTime> try_at = process::SteadyTime();  // empty: being started
    bool tried = false;
    ReadScales read;  // while it is not watched
  };

  // Those that have begun; they stay.
  std::vector<const ScaleWatch*> Watched() const;
  // The kind's watch, started if necessary; null while it cannot be watched, and while another
  // thread is starting it.
  ScaleWatch* WatchOf(const kube::Resource& resource);
  std::unique_ptr<ScaleWatch> StartWatch(const kube::Resource& resource);
  bool MayList(const kube::Resource& resource);
  bool CannotWatch(const Kind& kind, const std::string& namespace_) const;
  // When it was last told anything of the namespace, or began.
  static process::SteadyTime LastHeard(const ScaleWatch& watch, const std::string& namespace_);
  // Whether what it has of the namespace may be out of date.
  bool IsSilent(const ScaleWatch& watch, const std::string& namespace_) const;
  // The kind's watch without starting it: null while it is being started, nullopt if there is none
  // until the next try.
  std::optional<const ScaleWatch*> WatchNow(const kube::Resource& resource);

  kube::Transport& transport_;
  kube::Client& client_;
  kube::RestMapper& mapper_;
  process::Clock& clock_;
  const std::vector<std::string> namespaces_;
  process::TurnPool* const pool_;
  const std::chrono::nanoseconds max_silence_;
  LiveViews live_;
  mutable std::mutex mutex_;  // guards: the rest
  // Before that, KeepWatched() has nothing to do; by namespace, "" for all.
  std::map<std::string, process::SteadyTime> in_order_until_;
  std::map<kube::Resource, Kind, ByPath> kinds_;  // last: the watches' handlers use the others
};

}  // namespace ballast::cluster
