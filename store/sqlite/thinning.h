// Deletes history that is too old or too large (retention.h). It never deletes memory or what is
// still open, and works in steps of a few milliseconds, since they delay the writer.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <cstdint>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/retention.h"
#include "store/sqlite/shrinking.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// A disk with less room than this is nearly full.
inline constexpr std::uintmax_t kLeastRoom = std::uintmax_t{32} << 20;

// What a step takes over from the one before.
struct Thinning {
  std::int64_t looked_at = 0;  // the last autoscaler that was looked at; 0: none in this round
  Shrinking shrinking;
};

// One step, in a transaction of its own. True: there is more to do. `cramped`: the disk is nearly
// full, so history goes as if the store were too large, until what comes next has room within the
// file. (Once the disk is full, not even what is deleted can be written.)
Result<bool> Thin(Database& database, const Retention& retention, Time now, bool cramped,
                  Thinning& thinning);

}  // namespace ballast::store
