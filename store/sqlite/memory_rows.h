// The rows of an autoscaler's memory (memory_image.h): written and read back.
//
// Thread-safety and failure modes: the Database's.
#pragma once

#include <cstdint>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/memory_image.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"
#include "store/stored_state.h"

namespace ballast::store {

// Makes the database, which has `written`, have `present`.
Status WriteMemory(Database& database, const Subject& subject, const MemoryImage& written,
                   const MemoryImage& present);

// As WriteMemory, for a database that may have anything.
Status RewriteMemory(Database& database, const Subject& subject, const MemoryImage& present);

Status EraseMemory(Database& database, const Subject& subject);

// Brings everything that was live when the last process ended to rest. Where the exact time is lost
// it takes the safe side: a held recommendation lasts until the latest time it can have been
// repeated at (heartbeat + period + `slack`), and the last evaluation is the earliest it can have
// been (heartbeat - two periods - `late`). `slack`: how late a heartbeat may reach the disk;
// `late`: by how much more than a period an evaluation may be late without its autoscaler being
// written down as not live.
Status Settle(Database& database, Duration slack, Duration late);

// All memories.
Result<std::vector<LoadedMemory>> LoadMemories(Database& database);

// The autoscaler's row in `autoscalers`, made if there is none.
Result<std::int64_t> RowOf(Database& database, const Subject& subject);

}  // namespace ballast::store
