#include "store/sqlite/migration.h"

namespace ballast::store {

Result<std::optional<std::int64_t>> LeftToMove(Database& database) {
  ASSIGN_OR_RETURN(
      const auto tables,
      database.Integer("SELECT count(*) FROM sqlite_schema WHERE name = 'unclustered'"));
  if (tables == 0) {
    return std::optional<std::int64_t>();
  }
  ASSIGN_OR_RETURN(const auto decisions,
                   database.Integer("SELECT coalesce(max(id) - min(id) + 1, 0) FROM unclustered"));
  return std::optional(decisions);
}

Result<bool> MoveDecisions(Database& database, std::int64_t rows) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  // In the order of their ids: each autoscaler's rows are then appended one after the other, so
  // that only as many pages change at once as there are autoscalers. OR FAIL: SQLite need not be
  // able to undo the statement alone, since the transaction is rolled back if it fails.
  TRY(database.Run(
      "INSERT OR FAIL INTO decisions (id, autoscaler, time, until, evaluations, current, desired,"
      " reason, message, fate, error, settled, generation, others)"
      " SELECT id, autoscaler, time, until, evaluations, current, desired,"
      " reason, message, fate, error, settled, generation, others"
      " FROM unclustered ORDER BY id LIMIT ?",
      rows));
  TRY(database.Run(
      "DELETE FROM unclustered WHERE id IN (SELECT id FROM unclustered ORDER BY id LIMIT ?)",
      rows));
  ASSIGN_OR_RETURN(const auto moved, database.Integer("SELECT changes()"));
  if (moved == 0) {
    TRY(database.Execute("DROP TABLE unclustered"));
  }
  TRY(transaction.Commit());
  return moved > 0;
}

}  // namespace ballast::store
