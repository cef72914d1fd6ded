// Who lies between a target and the pods that it owns: a pod's controller, that one's controller
// (metadata.ownerReferences), and so on up to the target.
//
// A pod tells its controller; of a controller the metadata is asked for, with one GET when it is
// named for the first time. What led to the target is believed for ten minutes, what did not for
// one, so that an adoption is noticed soon; older answers are forgotten. Thread-safety: any thread;
// requests run on the caller's. Failure modes: as long as one controller cannot be read nobody
// knows which pods are the target's, so that is an error; one that is gone belongs to nobody.
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
#include "operator/runtime/clock.h"

namespace ballast::cluster {

class PodOwners {
 public:
  using Uids = std::set<std::string>;
  struct Target {
    api::CrossVersionObjectReference reference;
    std::string namespace_;
    std::string uid;
  };

  // All must outlive this.
  PodOwners(kube::Client& client, kube::RestMapper& mapper, const runtime::Clock& clock)
      : client_(client), mapper_(mapper), clock_(clock) {}

  // The target and those of `controllers` that belong to it, with what lies in between: whatever
  // one of these uids controls is the target's. The server's error, with the object's name.
  Result<Uids> Below(const Target& target, const std::vector<api::OwnerReference>& controllers);

  // How many answers are kept.
  std::size_t size() const;

 private:
  using Controller = std::optional<api::OwnerReference>;  // empty: nobody
  struct Answer {
    Controller controller;
    runtime::SteadyTime read_at;
  };

  // All below `target` on the way up from `from`; nullopt: the way leads elsewhere.
  Result<std::optional<Uids>> Climb(const Target& target, const api::OwnerReference& from,
                                    std::chrono::nanoseconds max_age);
  Result<Controller> ControllerOf(const std::string& namespace_, const api::OwnerReference& object,
                                  std::chrono::nanoseconds max_age);
  Result<Controller> Ask(const std::string& namespace_, const api::OwnerReference& object);
  void Keep(const std::string& uid, const Controller& controller);

  kube::Client& client_;
  kube::RestMapper& mapper_;
  const runtime::Clock& clock_;
  mutable std::mutex mutex_;               // guards: the rest; not held during requests
  std::map<std::string, Answer> answers_;  // by the uid of what was asked for
  Sweeper sweeper_;
};

}  // namespace ballast::cluster
