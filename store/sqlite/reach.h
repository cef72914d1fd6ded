// How far back the history in a database reaches.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <optional>
#include <string_view>

#include "api/base/result.h"
#include "store/history.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Of a namespace; empty: of all. Nullopt: there are no evaluations, and none were deleted.
Result<std::optional<Reach>> ReadReach(Database& database, std::string_view name_space = "");

}  // namespace ballast::store
