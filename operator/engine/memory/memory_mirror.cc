#include "operator/engine/memory/memory_mirror.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "api/decision/memory_fields.h"
#include "operator/engine/memory/memory_prune.h"

namespace ballast::engine {
namespace {

// How many entries of a kind there are at most. More would need a long window, a short period and a
// count that moves all the time.
constexpr std::size_t kMost = 64;

// Of entries in order of time, joins the oldest to the first one that is kept, by `join`.
template <typename Entry, typename Join>
void Shorten(std::vector<Entry>& entries, Join join) {
  if (entries.size() <= kMost) {
    return;
  }
  const auto kept = entries.end() - kMost;
  std::for_each(entries.begin(), kept, [&](const Entry& older) { join(*kept, older); });
  entries.erase(entries.begin(), kept);
}

void Shorten(std::vector<ScaleEvent>& events) {
  if (events.size() > kMost) {  // else they keep their slots
    std::ranges::stable_sort(events, {}, &ScaleEvent::time);
    Shorten(events, [](ScaleEvent& kept, const ScaleEvent& older) {
      constexpr std::int64_t kGreatest = std::numeric_limits<std::int32_t>::max();
      kept.change =
          static_cast<std::int32_t>(std::min(std::int64_t{kept.change} + older.change, kGreatest));
    });
  }
}

// The recommendations that could hold the count above or below the present recommendation: the
// latest time of each, without those that a later one exceeds. The present one is left out.
std::vector<Recommendation> Binding(std::vector<Recommendation> all, Time now) {
  std::ranges::stable_sort(all, std::greater<>(), &Recommendation::time);
  std::vector<Recommendation> above;
  std::vector<Recommendation> below;
  if (all.empty()) {
    return above;
  }
  std::int32_t highest = all.front().replicas;
  std::int32_t lowest = highest;
  for (const Recommendation& one : all) {
    if (one.time != now && one.replicas > highest) {
      above.push_back(one);
    } else if (one.time != now && one.replicas < lowest) {
      below.push_back(one);
    }
    highest = std::max(highest, one.replicas);
    lowest = std::min(lowest, one.replicas);
  }
  for (auto* binding : {&above, &below}) {
    std::ranges::reverse(*binding);
    // The oldest one holds the most.
    const std::int32_t extreme = binding->empty() ? 0 : binding->front().replicas;
    Shorten(*binding, [&](Recommendation& kept, const auto&) { kept.replicas = extreme; });
  }
  above.insert(above.end(), below.begin(), below.end());
  std::ranges::stable_sort(above, {}, &Recommendation::time);
  return above;
}

void MergeEvents(std::vector<ScaleEvent>& events, const std::vector<ScaleEvent>& mirror) {
  for (const ScaleEvent& event : mirror) {
    if (std::ranges::find(events, event) == events.end()) {
      events.push_back(event);
    }
  }
}

}  // namespace

Memory MirrorOf(const api::AutoscalerSpec& spec, const Settings& settings, const Memory& memory,
                Time now) {
  Memory mirror = memory;
  PruneMemory(spec, settings, now, mirror);
  mirror.recommendations = Binding(std::move(mirror.recommendations), now);
  Shorten(mirror.scale_ups);
  Shorten(mirror.scale_downs);
  return mirror;
}

bool AreOfTwoTargets(const Memory& memory, const Memory& other) {
  return !memory.target.empty() && !other.target.empty() && memory.target != other.target;
}

void Restore(Memory& memory, const Memory& mirror, bool own) {
  if (memory.target.empty()) {
    memory.target = mirror.target;
  }
  // Only a recommendation's latest time counts, so duplicates do no harm.
  memory.recommendations.insert(memory.recommendations.end(), mirror.recommendations.begin(),
                                mirror.recommendations.end());
  MergeEvents(memory.scale_ups, mirror.scale_ups);
  MergeEvents(memory.scale_downs, mirror.scale_downs);
  for (const UsedSample& sample : mirror.used_samples) {
    const auto known = std::ranges::find(memory.used_samples, sample.metric, &UsedSample::metric);
    if (known == memory.used_samples.end()) {
      memory.used_samples.push_back(sample);
    } else {
      known->timestamp = std::max(known->timestamp, sample.timestamp);
    }
  }
  if (!own) {
    for (const LastingField& field : kLastingFields) {
      memory.*field.since = mirror.*field.since;
    }
  }
}

}  // namespace ballast::engine
