#include "store/fold/memory_image.h"

#include <algorithm>
#include <utility>

namespace ballast::store {

MemoryImage ImageOf(engine::Memory memory, Time evaluated, Duration period) {
  MemoryImage image;
  for (const auto& recommendation : std::exchange(memory.recommendations, {})) {
    auto [latest, added] =
        image.recommendations.emplace(recommendation.replicas, recommendation.time);
    latest->second = std::max(latest->second, recommendation.time);
    if (recommendation.time == evaluated) {
      image.held = recommendation.replicas;
    }
  }
  image.as_is = std::move(memory);
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
  engine::Memory memory = image.as_is;
  memory.recommendations.reserve(image.recommendations.size());
  for (const auto& [replicas, time] : image.recommendations) {
    memory.recommendations.push_back({std::min(time, now), replicas});
  }
  return memory;
}

bool Covers(const MemoryImage& written, const MemoryImage& present) {
  if (written.live != present.live || written.held != present.held ||
      written.period != present.period || written.as_is != present.as_is ||
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
