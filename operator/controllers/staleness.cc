#include "operator/controllers/staleness.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "operator/cluster/watch_lag.h"

namespace ballast::controllers {
namespace {

constexpr std::chrono::hours kUnused{2};

bool HasEnded(const api::Pod& pod) { return pod.phase == "Succeeded" || pod.phase == "Failed"; }

}  // namespace

bool CountsDiffer(const api::Scale& scale, const engine::PodList& pods) {
  std::int32_t present = 0;
  std::int32_t staying = 0;
  for (const auto& pod : pods) {
    present += HasEnded(*pod) ? 0 : 1;
    staying += HasEnded(*pod) || pod->metadata.deletion_timestamp ? 0 : 1;
  }
  return scale.status_replicas < staying || scale.status_replicas > present;
}

Staleness::Remedy Staleness::LookAtCounts(const std::string& target, const api::Scale& scale,
                                          const engine::PodList& pods,
                                          process::SteadyTime read_at) {
  const bool differ = CountsDiffer(scale, pods);
  const process::SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  if (!differ) {
    counts_.erase(target);
    return Remedy::kNone;
  }
  Count& count = counts_.try_emplace(target, Count{now, now}).first->second;
  count.seen_at = now;
  Remedy remedy = Remedy::kNone;
  if (cluster::IsBehind(count.since, read_at, now)) {
    remedy = count.asked ? Remedy::kReadPods : Remedy::kAskTarget;
    count.asked = true;
  }
  Sweep();
  return remedy;
}

bool Staleness::LookAtNames(const std::string& namespace_,
                            const std::shared_ptr<const sources::NamespaceMetrics>& metrics,
                            const cluster::PodCache& pods, process::SteadyTime read_at) {
  const process::SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  Names& names = names_[namespace_];
  names.seen_at = now;
  if (names.looked_at.lock() != metrics) {
    std::map<std::string, process::SteadyTime> unknown;
    for (const auto& entry : metrics->by_name()) {
      const std::string name(entry.first);
      if (!pods.Contains({namespace_, name})) {
        const auto known = names.unknown.find(name);
        unknown.emplace(name, known == names.unknown.end() ? now : known->second);
      }
    }
    names.looked_at = metrics;
    names.unknown = std::move(unknown);
  }
  const bool behind = std::ranges::any_of(
      names.unknown, [&](const auto& pod) { return cluster::IsBehind(pod.second, read_at, now); });
  Sweep();
  return behind;
}

void Staleness::Sweep() {
  const process::SteadyTime now = clock_.Steady();
  sweeper_.Sweep([now](const auto& entry) { return now - entry.second.seen_at >= kUnused; },
                 counts_, names_);
}

std::size_t Staleness::size() const {
  const std::lock_guard lock(mutex_);
  return counts_.size() + names_.size();
}

}  // namespace ballast::controllers
