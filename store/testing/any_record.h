// For the store's tests: lives that are made up.
//
// Thread-safety: pure functions.
#pragma once

#include <random>

#include "store/ledger_state.h"
#include "store/records.h"

namespace ballast::store::testing {

// A record at `seconds` of one of four autoscalers, whatever happened to them before.
Record AnyRecord(const LedgerState& state, std::mt19937& random, double seconds);

}  // namespace ballast::store::testing
