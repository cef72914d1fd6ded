// Random numbers for jitter; not for secrets.
//
// Thread-safety: each function returned belongs to one thread at a time.
#pragma once

#include <functional>

namespace ballast::os {

// Returns a generator of numbers in [0, 1), seeded by the system.
std::function<double()> SystemRandom();

}  // namespace ballast::os
