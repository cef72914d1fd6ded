// How long tests wait for what must come: long enough that only a defect makes them wait in vain,
// on any machine. No test asserts that anything comes sooner.
//
// BALLAST_PATIENCE in the environment, a factor, lengthens it on a slow machine.
//
// Thread-safety: any thread.
// Errors: none; a factor that is no positive number is 1.
#pragma once

#include <chrono>
#include <cstdlib>

namespace ballast::support {

inline std::chrono::milliseconds Patience() {
  const char* const text = std::getenv("BALLAST_PATIENCE");
  const double given = text == nullptr ? 1 : std::atof(text);
  const double factor = given > 0 && given < 1000 ? given : 1;
  return std::chrono::milliseconds(static_cast<long>(60'000 * factor));
}

}  // namespace ballast::support
