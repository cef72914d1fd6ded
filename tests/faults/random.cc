// Replaces the program's source of randomness (operator/os/random.h): here it depends on the order
// of calls alone.
#include "operator/os/random.h"

#include <random>

namespace ballast::os {

std::function<double()> SystemRandom() {
  static std::uint64_t made = 0;
  return [engine = std::mt19937_64(++made)]() mutable {
    return static_cast<double>(engine() >> 11) / 9007199254740992.0;
  };
}

}  // namespace ballast::os
