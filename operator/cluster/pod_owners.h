// Finds the owners between a target and its pods: a pod's controller, that one's controller
// (metadata.ownerReferences), and so on up to the target.
//
// A pod names its controller itself; each controller's metadata is read with one GET the first time
// it is met. A chain that leads to the target is cached for ten minutes, one that does not for one
// minute, so that an adoption is noticed soon.
//
// Thread-safety: any thread; requests run on the caller's thread.
// Errors: if any one controller cannot be read, the API server's error with that object's name,
// because the target's pods are then unknown. A controller that has been deleted has no owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/kubernetes/meta.h"
#include "operator/cluster/sweeper.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/process/clock.h"

namespace ballast::cluster {

class PodOwners {
 public:
  using Uids = std::set<std::string>;
  struct Target {
    api::CrossVersionObjectReference reference;
    std::string namespace_;
    std::string uid;
  };

  // The arguments must outlive the PodOwners.
  PodOwners(kube::Client& client, kube::RestMapper& mapper, const process::Clock& clock)
      : client_(client), mapper_(mapper), clock_(clock) {}

  // The target's uid, those of `controllers` that belong to it, and the owners in between: a pod is
  // the target's if its controller is one of these. Requests end by `deadline`.
  Result<Uids> Below(const Target& target, const std::vector<api::OwnerReference>& controllers,
                     process::SteadyTime deadline = process::SteadyTime::max());
  // The same without a request; nullopt: it would take one.
  std::optional<Uids> BelowAtOnce(const Target& target,
                                  const std::vector<api::OwnerReference>& controllers);

  // Number of answers cached.
  std::size_t size() const;

 private:
  using Controller = std::optional<api::OwnerReference>;  // empty: it has none
  struct KnownController {
    Controller controller;
    process::SteadyTime read_at;
  };

  // Until when the API server may be asked; nullopt: not at all.
  using AskUntil = std::optional<process::SteadyTime>;

  Result<Uids> Search(const Target& target, const std::vector<api::OwnerReference>& controllers,
                      AskUntil until);
  // All owners on the way up from `from` to the target; nullopt: it does not lead there.
  Result<std::optional<Uids>> Climb(const Target& target, const api::OwnerReference& from,
                                    std::chrono::nanoseconds max_age, AskUntil until);
  // kUnavailable: the cache does not have it.
  Result<Controller> ControllerOf(const std::string& namespace_, const api::OwnerReference& object,
                                  std::chrono::nanoseconds max_age, AskUntil until);
  Result<Controller> Ask(const std::string& namespace_, const api::OwnerReference& object,
                         process::SteadyTime deadline);
  void Keep(const std::string& uid, const Controller& controller);

  kube::Client& client_;
  kube::RestMapper& mapper_;
  const process::Clock& clock_;
  mutable std::mutex mutex_;                        // guards: the rest; not held during requests
  std::map<std::string, KnownController> answers_;  // by the uid of the object read
  Sweeper sweeper_;
};

}  // namespace ballast::cluster
