// For the store's tests: random records.
//
// Thread-safety: one thread at a time (`random`).
#pragma once

#include <random>

#include "store/fold/ledger_state.h"
#include "store/records.h"

namespace ballast::store::testing {

// A record of one of four autoscalers at At(seconds); it need not make sense in `state`.
Record AnyRecord(const LedgerState& state, std::mt19937& random, double seconds);

}  // namespace ballast::store::testing
