// A ledger in a SQLite file that has started.
//
// Errors: those of Ledger::Start.
#pragma once

#include <memory>
#include <string>

#include "api/base/result.h"
#include "store/ledger.h"
#include "store/sqlite/sqlite_backend.h"

namespace ballast::store::testing {

inline Result<std::unique_ptr<Ledger>> OpenLedger(const std::string& path,
                                                  const LedgerOptions& options = {},
                                                  const SqliteOptions& file = {}) {
  auto ledger = MakeLedger(MakeSqliteBackend(path, file), options);
  TRY(ledger->Start({}));
  return ledger;
}

}  // namespace ballast::store::testing
