#include "operator/controllers/rival_finder.h"

#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/mode.h"
#include "operator/cluster/label_pairs.h"
#include "operator/engine/conditions.h"
#include "operator/process/log.h"

namespace ballast::controllers {
namespace {

// Autoscalers of the same target are no rivals of a policy: there is a conflict, and one of the two
// yields (conflicts.h). Upstream has no conflicts.
bool HasRivalsAtItsTarget(const api::Autoscaler& autoscaler) { return !autoscaler.is_policy(); }

// One that is no such autoscaler. A policy that is switched off scales nothing, so it is no rival.
// HPAs are served as upstream does, which knows HPAs only.
bool CountsAsRival(const api::Autoscaler& autoscaler, const api::Autoscaler& other) {
  return autoscaler.is_policy()
             ? api::ModeOf(other.spec).evaluates
             : !other.is_policy() && other.metadata.uid != autoscaler.metadata.uid;
}

// `kind`: without a name.
bool IsKindOfTarget(const api::CrossVersionObjectReference& kind,
                    const api::Autoscaler& autoscaler) {
  const api::CrossVersionObjectReference& target = autoscaler.spec.scale_target_ref;
  return kind.kind == target.kind &&
         kube::GroupOf(kind.api_version) == kube::GroupOf(target.api_version);
}

}  // namespace

std::vector<cluster::AutoscalerPointer> RivalFinder::Unread(const api::Autoscaler& autoscaler) {
  std::vector<cluster::AutoscalerPointer> unread;
  const std::string& namespace_ = autoscaler.metadata.namespace_;
  if (targets_.KeepWatched(namespace_) || !api::ModeOf(autoscaler.spec).evaluates) {
    return unread;
  }
  if (std::ranges::none_of(watches_.TargetKinds(namespace_), [&](const auto& kind) {
        return targets_.CannotWatch(kind, namespace_);
      })) {
    return unread;
  }
  for (const auto* watched : {&watches_.policies, &watches_.hpas}) {
    for (cluster::AutoscalerPointer& other : watched->InNamespace(namespace_)) {
      if (CountsAsRival(autoscaler, *other) && !cluster::SameTarget(autoscaler, *other) &&
          targets_.MustRead(other->spec.scale_target_ref, namespace_)) {
        unread.push_back(std::move(other));
      }
    }
  }
  return unread;
}

void RivalFinder::Read(const std::vector<cluster::AutoscalerPointer>& unread) {
  const process::SteadyTime began = clock_.Steady();
  for (const cluster::AutoscalerPointer& other : unread) {
    if (clock_.Steady() - began > sources::RequestPool::kLongestInLine) {
      return;  // the next evaluation reads the others
    }
    // Another thread may have read it meanwhile.
    if (targets_.MustRead(other->spec.scale_target_ref, other->metadata.namespace_)) {
      (void)targets_.Find(other->spec.scale_target_ref, cluster::TargetKey(*other));
    }
  }
}

void RivalFinder::StartWatching(const api::CrossVersionObjectReference& kind) {
  if (!targets_.MustStart(kind)) {
    return;
  }
  const std::string name = kind.api_version + "/" + kind.kind;
  {
    const std::lock_guard lock(mutex_);
    if (!starting_.insert(name).second) {
      return;
    }
  }
  pools_.Of(kube::GroupOf(kind.api_version)).Submit("", [this, kind, name] {
    try {
      targets_.StartWatching(kind);
    } catch (const std::exception& defect) {
      log::Error(log::About{name}, "the watch of a kind could not be started",
                 {{"error", defect.what()}});
    }
    const std::lock_guard lock(mutex_);
    starting_.erase(name);
    return true;
  });
}

bool RivalFinder::HasComputed(const api::Autoscaler& hpa, const api::Scale& scale) {
  const std::lock_guard lock(mutex_);
  if (scale.spec_replicas != 0 || engine::IsTrue(hpa.status.conditions, api::kScaledToZero)) {
    computed_[hpa.reference()] = hpa.metadata.uid;
    sweeper_.Sweep([this](const auto& entry) { return watches_.Find(entry.first) == nullptr; },
                   computed_);
    return true;
  }
  const auto known = computed_.find(hpa.reference());
  return known != computed_.end() && known->second == hpa.metadata.uid;
}

// The autoscalers whose targets may select one of the pods; the engine checks that. If the pods are
// selected by owner, only an autoscaler of one of these owners shares them, whatever labels others
// select.
std::vector<engine::Rival> RivalFinder::Find(const api::Autoscaler& autoscaler,
                                             const std::string& selector,
                                             const cluster::PodSelection& selection) {
  std::vector<engine::Rival> rivals;
  const std::string& namespace_ = autoscaler.metadata.namespace_;
  const auto counts = [&](const api::Autoscaler& other, const api::Scale& scale) {
    return CountsAsRival(autoscaler, other) &&
           (autoscaler.is_policy() || HasComputed(other, scale));
  };
  const std::set<std::string> pairs = cluster::PairsOf(selection.pods);
  for (api::CrossVersionObjectReference target : watches_.TargetKinds(namespace_)) {
    StartWatching(target);
    const bool skips_own = !HasRivalsAtItsTarget(autoscaler) && IsKindOfTarget(target, autoscaler);
    for (const auto& scale : targets_.MaySelect(target, namespace_, pairs)) {
      if ((skips_own && scale->metadata.name == autoscaler.spec.scale_target_ref.name) ||
          (selection.owned() && !selection.owners.contains(scale->metadata.uid))) {
        continue;
      }
      target.name = scale->metadata.name;
      for (const cluster::AutoscalerPointer& other : watches_.AutoscalersOf(namespace_, target)) {
        if (counts(*other, *scale)) {
          rivals.push_back({other->metadata.name, scale->selector});
        }
      }
    }
  }
  // Those of the same target are known also where its kind cannot be watched.
  if (HasRivalsAtItsTarget(autoscaler)) {
    for (const cluster::AutoscalerPointer& hpa : watches_.HpasOf(autoscaler)) {
      const auto known = std::ranges::find(rivals, hpa->metadata.name, &engine::Rival::name);
      if (CountsAsRival(autoscaler, *hpa) && known == rivals.end()) {
        rivals.push_back({hpa->metadata.name, selector});
      }
    }
  }
  std::sort(rivals.begin(), rivals.end(), [](const engine::Rival& a, const engine::Rival& b) {
    return std::tie(a.name, a.selector) < std::tie(b.name, b.selector);
  });
  return rivals;
}

}  // namespace ballast::controllers
