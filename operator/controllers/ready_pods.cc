#include "operator/controllers/ready_pods.h"

#include <algorithm>
#include <string>

#include "api/autoscaling/mode.h"

namespace ballast::controllers {
namespace {

constexpr std::chrono::seconds kApart{1};  // the early evaluations of one policy

bool GainsTime(const api::Autoscaler& autoscaler) {
  return autoscaler.is_policy() && api::ModeOf(autoscaler.spec).evaluates &&
         autoscaler.spec.sync_period_seconds != 1;
}

}  // namespace

std::vector<ReadyPods::Due> ReadyPods::See(const PodChange& change) {
  std::vector<Due> due;
  const bool was_ready = change.before != nullptr && change.before->ready();
  if (change.after == nullptr || was_ready || !change.after->ready()) {
    return due;
  }
  const std::vector<api::ObjectReference> policies = PoliciesOf(*change.after);
  const process::SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  for (const api::ObjectReference& policy : policies) {
    const auto [latest, first] = latest_.emplace(policy, now);
    if (!first) {
      if (latest->second > now) {
        continue;  // it is still to come
      }
      latest->second = std::max(now, latest->second + kApart);
    }
    due.push_back({policy, latest->second - now});
    sweeper_.Sweep([now](const auto& entry) { return now - entry.second >= kApart; }, latest_);
  }
  return due;
}

std::vector<api::ObjectReference> ReadyPods::PoliciesOf(const cluster::PackedPod& pod) const {
  std::vector<api::ObjectReference> policies;
  const std::string namespace_(pod.namespace_());
  for (const auto& target : targets_.Selecting(namespace_, pod.Unpack().metadata.labels)) {
    for (const cluster::AutoscalerPointer& one : watches_.AutoscalersOf(namespace_, target)) {
      if (GainsTime(*one)) {
        policies.push_back(one->reference());
      }
    }
  }
  return policies;
}

}  // namespace ballast::controllers
