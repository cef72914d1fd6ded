// Lookup: what an admission review needs to know about the cluster around an autoscaler. The
// interface between the rules here and the caches and clients that the operator puts behind it.
//
// Facts are observations, not judgements: cluster_checks.h judges. A fact that cannot be found out
// in time keeps its default and leads to no error or warning.
//
// Thread-safety: it is called from several threads at once.
// Errors: none returned; see above.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/override.h"
#include "api/autoscaling/types.h"
#include "api/kubernetes/label_selector.h"

namespace ballast::webhooks {

struct Facts {
  // Another autoscaler with the same target.
  struct TargetRival {
    std::string who;       // "HorizontalPodAutoscaler shop/web"
    bool scales = true;    // false: a policy in mode Disabled or DryRun
    std::string hpa = {};  // its name, if it is a HorizontalPodAutoscaler
  };
  enum class TargetState {
    kUnknown,      // not found out
    kFound,        // the target exists and has a scale
    kMissing,      // the object does not exist (yet)
    kUnknownKind,  // the cluster serves no such kind (yet)
    kNoScale,      // its kind has no scale subresource
    kForbidden,    // the operator may not read its scale
  };
  // How many replicas fit into a ResourceQuota.
  struct Quota {
    std::string name;      // "shop/compute"
    std::string resource;  // "pods", "requests.cpu"
    std::int64_t replicas = 0;
  };

  std::vector<TargetRival> rivals;
  // "the API server has been silent about horizontalpodautoscalers.autoscaling for 312 s", and does
  // not list them in time either: rivals that were made since are missing. Empty: none are.
  std::string silence;
  // Whether the installation lets Ballast take over from the HPA controller in the namespace.
  bool may_take_over = true;
  // The sources of metrics of type Prometheus that the installation has for the namespace.
  std::vector<std::string> metric_sources;
  TargetState target = TargetState::kUnknown;
  std::int32_t replicas = 0;  // of the target, if found
  // "container app of Pod web-7 has no cpu request"; one for each resource with a utilization
  // target.
  std::vector<std::string> missing_requests;
  std::optional<Quota> quota;  // the tightest one
  // Of the autoscaler's namespace, if a rule of the installation is about them.
  std::optional<api::Labels> namespace_labels;
};

// How long looking up may take, from the arrival of the review: the API server is waiting.
inline constexpr std::chrono::milliseconds kLookupTimeout{2000};

class Lookup {
 public:
  virtual ~Lookup() = default;
  // Must return within about `timeout`, and at once if that is zero.
  virtual Facts LookUp(const api::Autoscaler& autoscaler, std::chrono::milliseconds timeout) = 0;
  // The autoscalers that the override is about, of those that there are, without asking anybody.
  virtual std::vector<std::shared_ptr<const api::Autoscaler>> SubjectsOf(
      const api::AutoScaleOverride& override) = 0;
  // Only the labels of a namespace; nullopt on time-out.
  virtual std::optional<api::Labels> LabelsOf(const std::string& namespace_,
                                              std::chrono::milliseconds timeout) = 0;
};

}  // namespace ballast::webhooks
