// Reads all that a ledger continues from, after bringing it to rest: no memory is live, no run and
// no own term is open.
//
// Thread-safety: the Database's.
// Errors: the Database's; ReadStateAsItIs also those of OpenForReading and kNotFound (nothing was
// ever written to the file).
#pragma once

#include <optional>
#include <string>

#include "api/base/result.h"
#include "store/fold/stored_state.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Brings to rest what earlier processes left open, and records `process`, in a transaction of its
// own.
Status BringToRest(Database& database, const std::optional<Process>& process);

// The state of a database at rest. A damaged journal is left out.
Result<StoredState> ReadState(Database& database);

// The state of a file that cannot be written at present (a full disk, a read-only one), as if its
// memories had been brought to rest. The caller has the FileLock, or could not create it.
Result<StoredState> ReadStateAsItIs(const std::string& path);

}  // namespace ballast::store
