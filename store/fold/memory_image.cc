#include "store/fold/memory_image.h"

#include <algorithm>

namespace ballast::store {

MemoryImage ImageOf(const engine::Memory& memory, Time evaluated, Duration period) {
  MemoryImage image;
  for (const auto& recommendation : memory.recommendations) {
    auto [latest, added] =
        image.recommendations.emplace(recommendation.replicas, recommendation.time);
    latest->second = std::max(latest->second, recommendation.time);
    if (recommendation.time == evaluated) {
      image.held = recommendation.replicas;
    }
  }
  image.scale_ups = memory.scale_ups;
  image.scale_downs = memory.scale_downs;
  image.used_samples = memory.used_samples;
  image.no_value_since = memory.no_value_since;
  image.suspect_since = memory.suspect_since;
  image.target = memory.target;
  image.evaluated = evaluated;
  image.period = period;
  image.live = true;
  return image;
}

MemoryImage AtRest(MemoryImage image) {
  image.live = false;
  image.held.reset();
  return image;
}

engine::Memory MemoryOf(const MemoryImage& image, Time now) {
  engine::Memory memory;
  memory.recommendations.reserve(image.recommendations.size());
  for (const auto& [replicas, time] : image.recommendations) {
    memory.recommendations.push_back({std::min(time, now), replicas});
  }
  memory.scale_ups = image.scale_ups;
  memory.scale_downs = image.scale_downs;
  memory.used_samples = image.used_samples;
  memory.no_value_since = image.no_value_since;
  memory.suspect_since = image.suspect_since;
  memory.target = image.target;
  return memory;
}

bool Covers(const MemoryImage& written, const MemoryImage& present) {
  if (written.live != present.live || written.held != present.held ||
      written.period != present.period || written.scale_ups != present.scale_ups ||
      written.scale_downs != present.scale_downs || written.used_samples != present.used_samples ||
      written.no_value_since != present.no_value_since ||
      written.suspect_since != present.suspect_since || written.target != present.target ||
      written.incomplete != present.incomplete ||
      (!present.live && written.evaluated != present.evaluated) ||
      present.evaluated < written.evaluated) {  // the clock was set back
    return false;
  }
  if (present.recommendations.empty() && !written.recommendations.empty()) {
    return false;  // they were forgotten
  }
  // The heartbeat moves the held one. The store may keep recommendations that the engine has
  // dropped until the next change; they no longer count.
  return std::ranges::all_of(present.recommendations, [&](const auto& recommendation) {
    const auto found = written.recommendations.find(recommendation.first);
    return recommendation.first == present.held ||
           (found != written.recommendations.end() && found->second == recommendation.second);
  });
}

}  // namespace ballast::store
