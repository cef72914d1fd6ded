// Deletes history that is too old or too much (retention.h). Memory, and what is still open, never
// goes.
//
// In small steps: each takes a few milliseconds, for the writer does nothing else meanwhile.
// Thread-safety and failure modes: the Database's.
#pragma once

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/retention.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// One step, in a transaction of its own. True: there is more to do.
Result<bool> Thin(Database& database, const Retention& retention, Time now);

}  // namespace ballast::store
