// For the store's tests: prints the state of a store for comparison, and finds which prefix of the
// batches it has applied.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/fold/batch.h"
#include "store/fold/stored_state.h"
#include "store/in_memory/in_memory_backend.h"

namespace ballast::store::testing {

// All that a ledger continues from, except the numbers of decisions and entries; one item a line.
std::string PictureOf(StoredState state);

// The same without the journal, and without the times that depend on the heartbeat, since it is not
// known which one a commit had.
std::string PictureWithoutHeartbeat(StoredState state);

// The length of the longest prefix of `batches` that, applied to `before`, leaves `state`; nullopt:
// none does.
std::optional<std::size_t> PrefixOf(const std::vector<Batch>& batches, InMemoryBackend before,
                                    const StoredState& state);

}  // namespace ballast::store::testing
