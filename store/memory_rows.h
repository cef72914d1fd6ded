// An autoscaler's memory as the database has it: compared, written and read back.
//
// Stabilization asks only whether a replica count was recommended within a window, that is, for its
// latest time. So a memory is kept as the latest time of each count, and that is exact. The count
// that each evaluation repeats is "held": its time moves with every evaluation, and instead of
// writing it again and again one heartbeat row says how far the whole fleet has come.
//
// Thread-safety: plain values and functions; the Database's for those that take one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/memory.h"
#include "store/records.h"
#include "store/sqlite.h"

namespace ballast::store {

struct MemoryImage {
  std::map<std::int32_t, Time> recommendations;  // count -> the latest time that it was recommended
  std::vector<engine::ScaleEvent> scale_ups;
  std::vector<engine::ScaleEvent> scale_downs;
  std::vector<engine::UsedSample> used_samples;
  Time evaluated;
  Duration period;
  bool live = false;                 // it is evaluated every period
  std::optional<std::int32_t> held;  // live: the count recommended at `evaluated`
};

// What `memory` looks like after a live autoscaler's evaluation at `evaluated`.
MemoryImage ImageOf(const engine::Memory& memory, Time evaluated, Duration period);

// The same with exact times and nothing held: the autoscaler is not evaluated any more.
MemoryImage AtRest(MemoryImage image);

// The engine's form. Recommendations later than `now` become `now`.
engine::Memory MemoryOf(const MemoryImage& image, Time now);

// Whether a database that has `written` has all of `present`, given the heartbeat.
bool Covers(const MemoryImage& written, const MemoryImage& present);

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

// All memories, by uid.
struct LoadedMemory {
  Subject subject;
  MemoryImage image;
};
Result<std::vector<LoadedMemory>> LoadMemories(Database& database);

// The autoscaler's row in `autoscalers`, made if there is none.
Result<std::int64_t> RowOf(Database& database, const Subject& subject);

}  // namespace ballast::store
