#include "store/sqlite/sqlite_ledger.h"

namespace ballast::store {

std::unique_ptr<Ledger> MakeLedger(const std::string& path, const LedgerOptions& options,
                                   const SqliteOptions& file) {
  return MakeLedger(MakeSqliteBackend(path, file), options);
}

Result<std::unique_ptr<Ledger>> OpenLedger(const std::string& path, const LedgerOptions& options,
                                           const SqliteOptions& file) {
  auto ledger = MakeLedger(path, options, file);
  TRY(ledger->Start({}));
  return ledger;
}

}  // namespace ballast::store
