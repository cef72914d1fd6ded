// The rows of an autoscaler's memory (memory_image.h).
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <cstdint>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/fold/memory_image.h"
#include "store/fold/stored_state.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Changes the database, which has `written`, to `present`.
Status WriteMemory(Database& database, const Subject& subject, const MemoryImage& written,
                   const MemoryImage& present);

// Writes `present`, whatever the database has.
Status RewriteMemory(Database& database, const Subject& subject, const MemoryImage& present);

Status EraseMemory(Database& database, const Subject& subject);

// Brings every memory to rest that was live when the last process ended. Where the exact time is
// lost it takes the safe one: a held recommendation moves to the latest time at which it can have
// been repeated (heartbeat + period + `slack`), the last evaluation to the earliest time at which
// it can have been (heartbeat - two periods - `late`). Neither becomes earlier than recorded.
// `slack`: how late a heartbeat may reach the disk; `late`: by how much more than a period an
// evaluation may be late before its autoscaler is recorded as not live.
Status EndHeldMemories(Database& database, Duration slack, Duration late);

// All memories.
Result<std::vector<LoadedMemory>> LoadMemories(Database& database);

// The id of the autoscaler's row in `autoscalers`, which is inserted if there is none.
Result<std::int64_t> RowOf(Database& database, const Subject& subject);

}  // namespace ballast::store
