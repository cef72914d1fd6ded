// The names of the ConfigMaps that have the memory of managed HorizontalPodAutoscalers: so many in
// each namespace. The chart grants the right to each by its name.
#pragma once

#include <cstddef>
#include <string>

namespace ballast::cluster {

inline constexpr std::size_t kHpaMemoryObjects = 16;

// "ballast-hpa-memory-7". `number`: below kHpaMemoryObjects.
inline std::string HpaMemoryName(std::size_t number) {
  return "ballast-hpa-memory-" + std::to_string(number);
}

}  // namespace ballast::cluster
