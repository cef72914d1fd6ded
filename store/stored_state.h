// All that a ledger goes on from: what its store has while nothing writes it.
//
// Thread-safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/base/time.h"
#include "store/journal.h"
#include "store/memory_image.h"
#include "store/records.h"

namespace ballast::store {

// What a crash may add to or take from an autoscaler's last evaluation beyond its period: a
// heartbeat is on disk within kSlack of its evaluations, and no heartbeat is on disk without what
// is late by more than another period and kLate being written down as such.
inline constexpr Duration kSlack = Duration::Seconds(5);
inline constexpr Duration kLate = Duration::Milliseconds(500);

// How an autoscaler's replicas were left.
struct LastReplicas {
  std::optional<std::int32_t> replicas;  // absent: the last write may or may not have landed
  std::optional<ScaleWrite> write;       // the newest that did land
};

struct LoadedMemory {
  Subject subject;
  MemoryImage image;
};

// What is certain of a memory that was live when its writer ended at that heartbeat: the safe side
// (docs/store.md).
MemoryImage AfterACrash(MemoryImage image, Time heartbeat);

struct StoredState {
  Time heartbeat;                   // 1970: there was no evaluation
  DecisionId newest = 0;            // decision; 0: there is none
  std::vector<OpenIntent> intents;  // oldest first
  std::vector<LoadedMemory> memories;
  std::unordered_map<std::string, LastReplicas> replicas;  // by uid
  std::int64_t next_journal = 1;
  UnsavedEntries unsaved;
};

// An evaluation that the journal knows of was not earlier than it says.
void TrustJournal(StoredState& state);

}  // namespace ballast::store
