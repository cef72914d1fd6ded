// For tests: ledgers of earlier schemas.
//
// Thread-safety: any thread.
// Errors: kNotFound: there is no such file; those of the Database.
#pragma once

#include <cstdint>
#include <string>

#include "api/base/result.h"

namespace ballast::store::testing {

// Makes the database of store/sqlite/testdata/schema-N.sql; for tests with that folder as DATA.
Status MakeEarlierLedger(std::int64_t schema, const std::string& path);

}  // namespace ballast::store::testing
