// The scale of any target: from a watch of its kind where that is possible and fresh, else asked
// for.
//
// A kind is watched from the first time on that a target of it is wanted. A GET of the scale serves
// while the watch fills, where the operator has no right to list the kind, where the kind's paths
// are not known, when the object is not in the watch, and when the watch has not yet seen the
// operator's own last write.
// Thread-safety: any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/autoscaling.h"
#include "api/result.h"
#include "api/workload.h"
#include "operator/controllers/watched.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

class Targets {
 public:
  // All must outlive this. `namespaces` empty: all.
  Targets(kube::Transport& transport, kube::Client& client, kube::RestMapper& mapper,
          runtime::Clock& clock, std::vector<std::string> namespaces)
      : transport_(transport),
        client_(client),
        mapper_(mapper),
        clock_(clock),
        namespaces_(std::move(namespaces)) {}

  // The resource that serves the reference. kInvalid: it has no scale subresource.
  Result<kube::Resource> Resolve(const api::CrossVersionObjectReference& reference);

  // The target's scale as fresh as the watch, and never older than the last Wrote().
  Result<api::Scale> Read(const kube::Resource& resource, const api::ObjectKey& key);

  // Of the targets of that kind in the namespace, as far as they are watched, those whose selectors
  // may match what has these labels (label_pairs.h). `kind` has no name.
  std::vector<std::shared_ptr<const api::Scale>> MaySelect(
      const api::CrossVersionObjectReference& kind, const std::string& namespace_,
      const std::set<std::string>& pairs);

  // The operator changed the scale, and this is what the API server made of it.
  void Wrote(const kube::Resource& resource, const api::ObjectKey& key, const api::Scale& scale);

 private:
  using ScaleWatch = Watched<api::Scale>;
  struct Kind {
    std::unique_ptr<ScaleWatch> watch;  // null: not possible, for now
    std::optional<runtime::SteadyTime> try_at = runtime::SteadyTime();  // empty: somebody is at it
  };

  struct Written {
    std::string uid;
    std::uint64_t version = 0;
  };

  // The watch of the kind, started if need be; null when it cannot be watched, and while another
  // thread starts it.
  ScaleWatch* WatchOf(const kube::Resource& resource);
  std::unique_ptr<ScaleWatch> StartWatch(const kube::Resource& resource);
  bool MayList(const kube::Resource& resource);
  // Whether `scale` is at least as new as the operator's own last write.
  bool IsFresh(const kube::Resource& resource, const api::ObjectKey& key, const api::Scale& scale);
  // The watch has seen a change.
  void Saw(const kube::Resource& resource, const ScaleWatch::Informer::Change& change);
  void Forget(const kube::Resource& resource, const api::ObjectKey& key);

  kube::Transport& transport_;
  kube::Client& client_;
  kube::RestMapper& mapper_;
  runtime::Clock& clock_;
  const std::vector<std::string> namespaces_;
  std::mutex mutex_;                        // guards: the rest
  std::map<std::string, Written> written_;  // what the watches have not seen yet
  std::map<std::string, Kind> kinds_;       // ends first: its watches tell of what they see
};

}  // namespace ballast::controllers
