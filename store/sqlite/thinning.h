// Deletes history that is too old or too large (retention.h). It never deletes memory or what is
// still open, and works in steps of a few milliseconds, since they delay the writer.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/retention.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// One step, in a transaction of its own. True: there is more to do.
Result<bool> Thin(Database& database, const Retention& retention, Time now);

}  // namespace ballast::store
