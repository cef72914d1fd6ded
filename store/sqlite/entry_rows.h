// The entries of the history that a query selects.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/base/result.h"
#include "store/history.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// As History::ExtentOf.
Result<std::optional<Extent>> ReadExtent(Database& database, const HistoryQuery& query,
                                         const Heartbeat& heartbeat);

// The first `limit` entries (negative: all) after `after` that began until `until`.
Result<std::vector<Entry>> ReadEntries(Database& database, const HistoryQuery& query,
                                       const Heartbeat& heartbeat, const Place& after,
                                       std::int64_t until, std::int64_t limit);

// As History::FindNewest.
Result<std::optional<Newest>> ReadNewest(Database& database, const HistoryQuery& query,
                                         const Heartbeat& heartbeat, std::int64_t count);

// As FullEntry::reasons. Adds to `damaged` the documents that cannot be decoded.
Result<std::vector<ReasonEntry>> ReadReasons(Database& database, const Entry& entry,
                                             std::int64_t& damaged);

}  // namespace ballast::store
