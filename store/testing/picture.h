// For the store's tests: what a store has, as text to compare; and which batches it has of those
// that were made.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/batch.h"
#include "store/memory/memory_backend.h"
#include "store/stored_state.h"

namespace ballast::store::testing {

// All that a ledger goes on from but the numbers of decisions and entries, one thing a line.
std::string PictureOf(StoredState state);

// The same without what a heartbeat tells, for commits may have had any.
std::string PictureWithoutHeartbeat(StoredState state);

// How many of `batches`, applied to `before`, leave `state`: the longest such prefix; nothing when
// none does.
std::optional<std::size_t> PrefixOf(const std::vector<Batch>& batches, MemoryBackend before,
                                    const StoredState& state);

}  // namespace ballast::store::testing
