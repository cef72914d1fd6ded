// Moves the decisions of a file of an earlier version into the table that is ordered as they are
// read: by autoscaler and time, no longer by id.
//
// The migration (database_schema.cc) leaves them in the table `unclustered`. They are moved in
// steps, each of which frees space for the next: a large file needs little more space than it has,
// and a process that ends meanwhile, for whatever reason, loses one step.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <cstdint>
#include <optional>

#include "api/base/result.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// The greatest possible number of decisions left to move; nullopt: there is no such table.
Result<std::optional<std::int64_t>> LeftToMove(Database& database);

// Moves up to `rows` decisions, the oldest first, in a transaction of its own. If none are left it
// drops the table, which must exist, and returns false.
Result<bool> MoveDecisions(Database& database, std::int64_t rows);

}  // namespace ballast::store
