// The variables of the environment.
//
// Thread-safety: any thread; the program sets none.
#pragma once

#include <cstdlib>
#include <string>

namespace ballast::os {

// Empty: it is not set, or empty.
inline std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace ballast::os
