// How much of the history is kept.
#pragma once

#include <cstdint>

#include "api/base/time.h"

namespace ballast::store {

struct Retention {
  Duration age = Duration::Seconds(30 * 86'400);
  // The used size of the store. Beyond it the namespace whose history takes the most gives up its
  // oldest: what changed nothing, then the rest. 0: no limit.
  std::int64_t bytes = std::int64_t{4} << 30;
};

}  // namespace ballast::store
