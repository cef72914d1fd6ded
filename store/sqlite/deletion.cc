#include "store/sqlite/deletion.h"

#include <array>

namespace ballast::store {

Status ClearGoing(Database& database) {
  TRY(database.Execute("CREATE TEMP TABLE IF NOT EXISTS going (id INTEGER PRIMARY KEY)"));
  return database.Run("DELETE FROM going");
}

Result<std::vector<std::int64_t>> DeleteGoing(Database& database) {
  constexpr std::array kDeletes = {
      "DELETE FROM snapshots WHERE decision IN (SELECT id FROM going)",
      "DELETE FROM conclusions WHERE decision IN (SELECT id FROM going)",
      "DELETE FROM ranges WHERE decision IN (SELECT id FROM going)",
      "DELETE FROM timelines WHERE decision IN (SELECT id FROM going)",
      "DELETE FROM reasons WHERE decision IN (SELECT id FROM going)"};
  for (const char* erase : kDeletes) {
    TRY(database.Run(erase));
  }
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare(
          "DELETE FROM decisions WHERE id IN (SELECT id FROM going) RETURNING autoscaler"));
  return rows.All<std::int64_t>(
      [](const Statement& row) -> Result<std::int64_t> { return row.Integer(0); });
}

Status NoteDeleted(Database& database, std::string_view name_space, Time since) {
  return database.Run("UPDATE namespaces SET since = max(coalesce(since, ?1), ?1) WHERE name = ?2",
                      since, name_space);
}

}  // namespace ballast::store
