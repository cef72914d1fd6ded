// Brings the decisions of a file of an earlier version into the order in which they are asked for:
// by autoscaler and time, no longer by id.
//
// The migration (schema.cc) leaves them in the table `unclustered`. From there they are moved in
// steps, each of which makes room for the next: a large file needs little more space than it has,
// and a process that ends in between, for whatever reason, costs one step. Thread-safety and
// failure modes: the Database's.
#pragma once

#include <cstdint>
#include <optional>

#include "api/base/result.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// How many decisions are left to be moved, at most; nothing: there is no such table.
Result<std::optional<std::int64_t>> LeftToMove(Database& database);

// Moves so many, the oldest first, in a transaction of its own; or finds none, and drops the table,
// which must be there. True: there is more to do.
Result<bool> MoveDecisions(Database& database, std::int64_t rows);

}  // namespace ballast::store
