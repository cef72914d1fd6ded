// What of the history is kept.
//
// Thread-safety: plain values.
#pragma once

#include <cstdint>

#include "api/base/time.h"

namespace ballast::store {

struct Retention {
  Duration age = Duration::Seconds(30 * 86'400);
  // Of the store. Beyond it goes, oldest first, what changed nothing, and then what did. 0: no
  // bound.
  std::int64_t bytes = std::int64_t{4} << 30;
};

}  // namespace ballast::store
