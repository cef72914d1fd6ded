// How rows of the history are deleted, whatever makes them go.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// How many rows of a table a step of retention deletes at most, or a few more.
inline constexpr std::int64_t kRowsOfAStep = 16;

// Empties the table `going`, for the ids of decisions.
Status ClearGoing(Database& database);

// Deletes the decisions in `going` with all rows that refer to them. Returns their autoscalers, one
// for each decision.
Result<std::vector<std::int64_t>> DeleteGoing(Database& database);

// The same for those whose ids `sql` inserts into `going`.
template <typename... Args>
Result<std::vector<std::int64_t>> DeleteDecisions(Database& database, const char* sql,
                                                  const Args&... args) {
  TRY(ClearGoing(database));
  TRY(database.Run(sql, args...));
  return DeleteGoing(database);
}

// Notes that of a namespace only what it has from `since` on is complete: of what ended before,
// something goes. Never takes back what was noted.
Status NoteDeleted(Database& database, std::string_view name_space, Time since);

}  // namespace ballast::store
