#include "operator/hpa/other_controllers.h"

#include <algorithm>
#include <chrono>

#include "operator/hpa/status_marks.h"

namespace ballast::hpa {
namespace {

// One that has not written anything for so long is no longer at work.
constexpr std::chrono::hours kAtWork{1};

}  // namespace

void OtherControllers::See(const api::Autoscaler& hpa, const process::Instant& now) {
  const auto writer = OtherWriter(hpa);
  if (!writer || !writer->time) {
    return;
  }
  const std::lock_guard lock(mutex_);
  const auto [known, is_first] = written_.try_emplace(hpa.key(), *writer->time);
  if (!is_first && known->second == *writer->time) {
    return;
  }
  known->second = *writer->time;
  // What was written before this process looked has only the API server's time.
  const std::chrono::nanoseconds age((now.wall - *writer->time).nanoseconds);
  const process::SteadyTime at =
      is_first ? now.steady - std::clamp<std::chrono::nanoseconds>(age, age.zero(), kAtWork)
               : now.steady;
  std::erase_if(activities_,
                [&](const auto& one) { return now.steady - one.second.last >= kAtWork; });
  const auto [activity, is_new] = activities_.try_emplace(writer->manager, Activity{at, {}});
  Activity& its = activity->second;
  if (!is_new && !is_first) {
    const std::chrono::nanoseconds gap = at - its.last;
    its.longest_gap = std::max(its.longest_gap, Duration{gap.count()});
  }
  its.last = std::max(its.last, at);
}

void OtherControllers::Forget(const api::ObjectKey& hpa) {
  const std::lock_guard lock(mutex_);
  written_.erase(hpa);
}

std::optional<OtherControllers::Activity> OtherControllers::Of(const std::string& manager,
                                                               const process::Instant& now) const {
  const std::lock_guard lock(mutex_);
  const auto found = activities_.find(manager);
  return found == activities_.end() || now.steady - found->second.last >= kAtWork
             ? std::nullopt
             : std::optional(found->second);
}

}  // namespace ballast::hpa
