// The counts that an autoscaler may be scaled to.
#pragma once

#include <cstdint>

namespace ballast::engine {

struct Bounds {
  std::int32_t min = 1;
  std::int32_t max = 0;
  bool Contain(std::int32_t replicas) const { return min <= replicas && replicas <= max; }
  // The count that `replicas` is moved to. If the bounds contradict each other, each moves it.
  std::int32_t Nearest(std::int32_t replicas) const {
    return replicas > max ? max : replicas < min ? min : replicas;
  }
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

}  // namespace ballast::engine
