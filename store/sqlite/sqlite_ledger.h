// A ledger in a SQLite file.
//
//   auto ledger = OpenLedger("/var/lib/ballast/ballast.db");
//
// Thread-safety: any thread.
// Errors: those of Ledger::Start.
#pragma once

#include <memory>
#include <string>

#include "api/base/result.h"
#include "store/ledger.h"
#include "store/sqlite/sqlite_backend.h"

namespace ballast::store {

// Not started yet.
std::unique_ptr<Ledger> MakeLedger(const std::string& path, const LedgerOptions& options = {},
                                   const SqliteOptions& file = {});
// The same, and starts it.
Result<std::unique_ptr<Ledger>> OpenLedger(const std::string& path,
                                           const LedgerOptions& options = {},
                                           const SqliteOptions& file = {});

}  // namespace ballast::store
