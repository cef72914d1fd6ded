// All that a ledger goes on from: what its file has while nobody writes it.
//
// Thread-safety and failure modes: the Database's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/decisions.h"
#include "store/journal.h"
#include "store/memory_rows.h"
#include "store/records.h"
#include "store/sqlite.h"

namespace ballast::store {

// What a crash may add to or take from an autoscaler's last evaluation beyond its period: a
// heartbeat is on disk within kSlack of its evaluations, and no heartbeat is on disk without what
// is late by more than another period and kLate being written down as such.
inline constexpr Duration kSlack = Duration::Seconds(5);
inline constexpr Duration kLate = Duration::Milliseconds(500);

struct StoredState {
  Time heartbeat;                   // 1970: there was no evaluation
  DecisionId newest = 0;            // decision; 0: there is none
  std::vector<OpenIntent> intents;  // oldest first
  std::vector<LoadedMemory> memories;
  std::unordered_map<std::string, LastReplicas> replicas;  // by uid
  std::int64_t next_journal = 1;
  UnsavedEntries unsaved;
};

// Brings to rest what earlier processes left going on, and puts `process` after them, in a
// transaction of its own.
Status BringToRest(Database& database, const std::optional<Process>& process);

// Of a database at rest.
Result<StoredState> ReadState(Database& database);

// The same of a file that cannot be written at present (a full disk, a read-only one), as if it had
// been brought to rest. The caller has the FileLock, or could not get it.
Result<StoredState> ReadStateAsItIs(const std::string& path);

}  // namespace ballast::store
