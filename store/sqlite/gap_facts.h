// What explains a time without an evaluation.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/history.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// As History::Explain.
Result<GapFacts> ReadGapFacts(Database& database, const Subject* subject, Time from, Time to,
                              const Heartbeat& heartbeat);

}  // namespace ballast::store
