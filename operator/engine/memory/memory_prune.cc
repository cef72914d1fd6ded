#include "operator/engine/memory/memory_prune.h"

#include <algorithm>
#include <tuple>

#include "operator/engine/rate_limit.h"
#include "operator/engine/stabilization.h"

namespace ballast::engine {
namespace {

template <typename Entry>
void DropBefore(std::vector<Entry>& entries, Time cutoff) {
  std::erase_if(entries, [&](const Entry& entry) { return entry.time < cutoff; });
}

void PruneRecommendations(std::vector<Recommendation>& recommendations, Time cutoff) {
  if (recommendations.empty()) {
    return;
  }
  const Recommendation newest = *std::max_element(
      recommendations.begin(), recommendations.end(),
      [](const Recommendation& a, const Recommendation& b) { return a.time < b.time; });
  DropBefore(recommendations, cutoff);
  if (recommendations.empty()) {
    recommendations.push_back(newest);
  }
}

}  // namespace

void PruneMemory(const api::AutoscalerSpec& spec, const Settings& settings, Time now,
                 Memory& memory) {
  PruneRecommendations(memory.recommendations, now - WindowsOf(spec, settings).Longest());
  if (!spec.behavior) {
    memory.scale_ups.clear();
    memory.scale_downs.clear();
    return;
  }
  const Duration up = LongestPeriod(spec.behavior->scale_up);
  const Duration down = LongestPeriod(spec.behavior->scale_down);
  if (up >= down) {
    DropBefore(memory.scale_ups, now - up);
  }
  if (down >= up) {
    DropBefore(memory.scale_downs, now - down);
  }
}

void KeepLatestOfEachCount(std::vector<Recommendation>& recommendations) {
  if (recommendations.size() < 2) {
    return;  // the usual case, which needs no sorting
  }
  std::ranges::stable_sort(recommendations, [](const Recommendation& a, const Recommendation& b) {
    return std::tie(a.replicas, b.time) < std::tie(b.replicas, a.time);
  });
  const auto older = std::unique(
      recommendations.begin(), recommendations.end(),
      [](const Recommendation& a, const Recommendation& b) { return a.replicas == b.replicas; });
  recommendations.erase(older, recommendations.end());
  std::ranges::stable_sort(recommendations, {}, &Recommendation::time);
}

}  // namespace ballast::engine
