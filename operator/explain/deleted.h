// What to say where nothing is recorded, because retention has deleted what there may have been.
//
// Thread-safety: one thread at a time, as the History.
// Errors: the History's.
#pragma once

#include <string>

#include "api/base/result.h"
#include "store/history.h"

namespace ballast::explain {

// What makes history go, for people.
inline constexpr char kRetentionFlags[] = "the operator's --store-max-age and --store-max-size";

// " (what was evaluated in its namespace before 2026-04-08T14:05:00Z was deleted: ...)"; empty:
// nothing was deleted of the query's time.
Result<std::string> DescribeDeleted(store::History& history, const store::HistoryQuery& query);

}  // namespace ballast::explain
