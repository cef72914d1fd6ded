// A ledger of any back end: a LedgerState that the back end follows.
//
// Thread-safety and failure modes: the Ledger's.
#pragma once

#include <memory>

#include "store/backend.h"
#include "store/ledger.h"

namespace ballast::store {

// Not started yet.
std::unique_ptr<Ledger> MakeLedger(std::unique_ptr<Backend> backend, const LedgerOptions& options);

}  // namespace ballast::store
