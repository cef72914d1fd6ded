// What is on record of one autoscaler at one moment.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <cstdint>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/history.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// As History::Look. Adds to `damaged` the documents and series that cannot be decoded.
Result<HistoryAt> ReadHistoryAt(Database& database, const HistoryQuery& query, Time at,
                                const Heartbeat& heartbeat, std::int64_t& damaged);

}  // namespace ballast::store
