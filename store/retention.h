// What of the history goes when it is old or too large. Memory, and what is still open, never goes.
//
// In small steps: each takes a few milliseconds, for the writer does nothing else meanwhile.
// Thread-safety and failure modes: the Database's.
#pragma once

#include <cstdint>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/sqlite.h"

namespace ballast::store {

struct Retention {
  Duration age = Duration::Seconds(30 * 86'400);
  // Of the file. Beyond it goes, oldest first, what changed nothing, and then what did. 0: no
  // bound.
  std::int64_t bytes = std::int64_t{4} << 30;
};

// One step, in a transaction of its own. True: there is more to do.
Result<bool> Thin(Database& database, const Retention& retention, Time now);

}  // namespace ballast::store
