#include "operator/os/random.h"

#include <random>

namespace ballast::os {

std::function<double()> SystemRandom() {
  return [engine = std::minstd_rand(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
  };
}

}  // namespace ballast::os
