#include "operator/cluster/conflicts.h"

#include <tuple>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/take_over_annotation.h"

namespace ballast::cluster {
namespace {

// The smaller value is the older policy, which keeps the target.
auto Seniority(const api::Autoscaler& policy) {
  return std::tuple(policy.metadata.creation_timestamp.value_or(Time()), policy.metadata.uid);
}

std::string Target(const api::Autoscaler& policy) {
  return policy.spec.scale_target_ref.kind + " " + policy.spec.scale_target_ref.name;
}

// What to delete, so that the HPA is gone and stays away: its owner would make it again.
std::string Remedy(const api::Autoscaler& hpa) {
  const auto* owner = api::ControllerOf(hpa.metadata);
  return "delete the " + (owner ? owner->kind + " " + owner->name : hpa.kind);
}

}  // namespace

std::string NameWithOwner(const api::Autoscaler& autoscaler) {
  std::string who = autoscaler.kind + " " + autoscaler.key().Print();
  if (const auto* owner = api::ControllerOf(autoscaler.metadata)) {
    who += " of " + owner->kind + " " + owner->name;
  }
  return who;
}

std::optional<Conflict> FindConflict(const api::Autoscaler& policy, const Watches& watches) {
  if (!Scales(policy)) {
    return std::nullopt;
  }
  for (const AutoscalerPointer& hpa : watches.HpasOf(policy)) {
    const bool takes_over = api::TakesOverFrom(policy) == hpa->metadata.name;
    return Conflict{"HorizontalPodAutoscaler",
                    NameWithOwner(*hpa) + " scales " + Target(policy) +
                        (takes_over ? ": this policy takes over as soon as it no longer does"
                                    : " too, and a policy yields to it: " + Remedy(*hpa) +
                                          ", or change this policy's scaleTargetRef")};
  }
  for (const AutoscalerPointer& other : watches.PoliciesOf(policy)) {
    if (other->metadata.uid != policy.metadata.uid && Scales(*other) &&
        Seniority(*other) < Seniority(policy)) {
      return Conflict{"AutoScalePolicy",
                      "AutoScalePolicy " + other->key().Print() + " scales " + Target(policy) +
                          " too, and is older: delete one of the two, or change this policy's "
                          "scaleTargetRef"};
    }
  }
  return std::nullopt;
}

}  // namespace ballast::cluster
