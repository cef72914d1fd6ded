// The state that a ledger loads from a store that nobody writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/base/time.h"
#include "store/fold/memory_image.h"
#include "store/packing/journal.h"
#include "store/records.h"

namespace ballast::store {

// How far the last heartbeat may be from an autoscaler's last evaluation after a crash, besides its
// periods. An evaluation's heartbeat is on disk within kSlack while the disk works. A heartbeat
// that is more than two periods and kLate after an autoscaler's evaluation is on disk together with
// the exact times of that autoscaler, which is no longer live then.
inline constexpr Duration kSlack = Duration::Seconds(5);
inline constexpr Duration kLate = Duration::Milliseconds(500);

// An autoscaler's replicas as the operator last saw or set them, and what it decided from.
struct LastReplicas {
  std::optional<std::int32_t> replicas;  // absent: whether the last write was applied is not known
  std::optional<ScaleWrite> write;       // the newest that was applied
  std::optional<std::int64_t> generation;  // of the spec, at the newest decision
};

struct LoadedMemory {
  Subject subject;
  MemoryImage image;
};

// What is certain of a memory that may have been live when its writer ended at that heartbeat. Of
// the possible times it takes the safe ones: the latest recommendation, the earliest evaluation
// (docs/store.md).
MemoryImage AfterACrash(MemoryImage image, Time heartbeat);

struct LoadedSpec {
  Subject subject;
  std::string spec;  // packed
};

struct StoredState {
  Time heartbeat;                   // 1970: there was no evaluation
  DecisionId newest = 0;            // the newest decision; 0: there is none
  std::vector<OpenIntent> intents;  // oldest first
  std::vector<LoadedMemory> memories;
  std::unordered_map<std::string, LastReplicas> replicas;  // by uid
  std::vector<LoadedSpec> specs;
  std::int64_t next_journal = 1;
  UnsavedEntries unsaved;
};

// Moves last evaluations forward to those that the journal has.
void TrustJournal(StoredState& state);

}  // namespace ballast::store
