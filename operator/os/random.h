// Chance, for jitter.
//
// Thread-safety: each function made is used by one thread at a time.
#pragma once

#include <functional>

namespace ballast::os {

// Gives numbers in [0, 1), seeded by the system.
std::function<double()> SystemRandom();

}  // namespace ballast::os
