// How far back the history in a database reaches.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <optional>

#include "api/base/result.h"
#include "store/history.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Nullopt: there are no evaluations. The schema must be one with series.
Result<std::optional<Reach>> ReadReach(Database& database);

}  // namespace ballast::store
