// Where a ledger keeps what it folds: a SQLite file (sqlite/), memory (memory/).
//
//   state = LedgerState(backend.Open(stop)->state);
//   backend.Apply(state.Apply(record));
//
// Thread-safety: one thread at a time. Failure modes: kFull, kUnavailable: not now, try again;
// Open's others: never.
#pragma once

#include <cstdint>
#include <string>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/batch.h"
#include "store/retention.h"
#include "store/stored_state.h"

#include <stop_token>

namespace ballast::store {

class Backend {
 public:
  virtual ~Backend() = default;

  struct Opened {
    StoredState state;      // what earlier writers left is at rest
    std::string set_aside;  // where a damaged store was moved to; empty: it was sound or new
  };
  // Becomes the store's writer; after an error it may be called again. Errors are Ledger::Start's.
  virtual Result<Opened> Open(const std::stop_token& stop) = 0;

  // What it has, as Open would find it: for a store that cannot be written at present.
  virtual Result<StoredState> Read() = 0;

  struct Applied {
    std::int64_t dropped = 0;  // changes that can never be applied, and were left out
    // Not empty: nothing was applied, for the store was damaged and is a new one now. Where the old
    // one was moved to.
    std::string set_aside;
  };
  // In one transaction, which is durable when this returns. Nothing of it is in the store after an
  // error.
  virtual Result<Applied> Apply(const Batch& batch) = 0;

  // One short step of deleting what is too old or too much. True: there is more to do.
  virtual Result<bool> Thin(const Retention& retention, Time now) = 0;
};

}  // namespace ballast::store
