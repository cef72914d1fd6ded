// Reads all that a ledger goes on from, and brings it to rest.
//
// Thread-safety and failure modes: the Database's.
#pragma once

#include <optional>
#include <string>

#include "api/base/result.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"
#include "store/stored_state.h"

namespace ballast::store {

// Brings to rest what earlier processes left going on, and puts `process` after them, in a
// transaction of its own.
Status BringToRest(Database& database, const std::optional<Process>& process);

// Of a database at rest.
Result<StoredState> ReadState(Database& database);

// The same of a file that cannot be written at present (a full disk, a read-only one), as if it had
// been brought to rest. The caller has the FileLock, or could not get it.
Result<StoredState> ReadStateAsItIs(const std::string& path);

}  // namespace ballast::store
