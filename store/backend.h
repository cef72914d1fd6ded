// Where a ledger stores its batches: a SQLite file (sqlite/) or memory (in_memory/).
//
//   LedgerState state;
//   backend.Apply(state.Adopt(backend.Open(stop)->state));
//   backend.Apply(state.Apply(record));
//
// Thread-safety: one thread at a time.
// Errors: kFull, kUnavailable: try again later. Other errors of Open do not pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/fold/batch.h"
#include "store/fold/stored_state.h"
#include "store/retention.h"

#include <stop_token>

namespace ballast::store {

class Backend {
 public:
  virtual ~Backend() = default;

  struct Opened {
    StoredState state;      // at rest: no live memory, no open run
    std::string set_aside;  // where a damaged store was moved to; empty: it was sound or new
  };
  // Becomes the store's only writer. May be called again after an error. Errors: kFull,
  // kUnavailable, and those of Ledger::Start.
  virtual Result<Opened> Open(const std::stop_token& stop) = 0;

  // Returns the state that Open would, of a store that cannot be written at present.
  virtual Result<StoredState> Read() = 0;

  struct Applied {
    std::int64_t dropped = 0;  // changes that can never be applied and were left out
    // Not empty: nothing was applied; the store was damaged and moved there, and an empty one has
    // replaced it.
    std::string set_aside;
  };
  // Applies the batch in one transaction, which is durable when this returns. After an error
  // nothing of it is in the store.
  virtual Result<Applied> Apply(const Batch& batch) = 0;

  struct Thinned {
    bool more = false;          // there is more to do
    std::optional<Time> since;  // how far back the history reaches (Reach::since)
  };
  // Deletes some of the history that is too old or too much, in one short step.
  virtual Result<Thinned> Thin(const Retention& retention, Time now) = 0;
};

}  // namespace ballast::store
