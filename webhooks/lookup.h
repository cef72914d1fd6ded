// What an admission review wants to know of the cluster around an autoscaler. The seam between the
// rules here and the caches and clients that main puts behind it.
//
// Facts are answers, not judgements: cluster_checks.h judges. What could not be found out in time
// is left at its default, and nothing is said about it. Thread-safety: LookUp is called from
// several threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"

namespace ballast::webhooks {

struct Facts {
  // Another autoscaler with the same target.
  struct Rival {
    std::string who;       // "HorizontalPodAutoscaler shop/web"
    bool scales = true;    // false: it is switched off or only looks on
    std::string hpa = {};  // its name, if it is a HorizontalPodAutoscaler
  };
  enum class Target {
    kUnknown,      // it could not be found out
    kFound,        // it has a scale
    kMissing,      // there is no such object (yet)
    kUnknownKind,  // the cluster knows no such kind (yet)
    kNoScale,      // its kind has no scale subresource
    kForbidden,    // the operator may not read its scale
  };
  // The most replicas that fit into a ResourceQuota.
  struct Quota {
    std::string name;      // "shop/compute"
    std::string resource;  // "pods", "requests.cpu"
    std::int64_t replicas = 0;
  };

  std::vector<Rival> rivals;
  Target target = Target::kUnknown;
  std::int32_t replicas = 0;  // of the target, when found
  // "container app of Pod web-7 has no cpu request"; one for each resource with a utilization.
  std::vector<std::string> missing_requests;
  std::optional<Quota> quota;  // the tightest one
};

// How long a review may be looked into, from its arrival: the API server waits for the answer.
inline constexpr std::chrono::milliseconds kPatience{2000};

class Lookup {
 public:
  virtual ~Lookup() = default;
  // Must return within about `patience`, at once when there is none left.
  virtual Facts LookUp(const api::Autoscaler& autoscaler, std::chrono::milliseconds patience) = 0;
};

}  // namespace ballast::webhooks
