#include "store/decisions.h"

#include <utility>

#include "store/compress.h"
#include "store/memory.h"

namespace ballast::store {

Status InsertDecision(Database& database, const DecisionRow& row) {
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, row.subject));
  // A run's end and length are not known yet.
  return database.Run(
      "INSERT INTO decisions (id, autoscaler, time, until, evaluations, current, desired, reason,"
      " message, fate) VALUES (?1, ?2, ?3, iif(?4, NULL, ?3), iif(?4, NULL, 1), ?5, ?6, ?7, ?8, "
      "?9)",
      row.id, autoscaler, row.time.unix_nanoseconds(), row.run ? 1 : 0, row.current_replicas,
      row.desired_replicas, row.reason, row.message, Name(row.fate));
}

Status InsertSnapshot(Database& database, DecisionId id, const std::string& compressed) {
  return database.Run("INSERT INTO snapshots VALUES (?, ?)", id, Bytes{compressed});
}

Status InsertConclusion(Database& database, DecisionId id, const std::string& compressed) {
  return database.Run("INSERT OR REPLACE INTO conclusions VALUES (?, ?)", id, Bytes{compressed});
}

Status CloseRun(Database& database, DecisionId id, Time until, std::int64_t evaluations) {
  return database.Run("UPDATE decisions SET until = ?, evaluations = ? WHERE id = ?",
                      until.unix_nanoseconds(), evaluations, id);
}

Status CloseOpenRuns(Database& database) {
  return database.Run(
      "UPDATE decisions SET until = max(time, (SELECT evaluated FROM heartbeat WHERE id = 1))"
      " WHERE until IS NULL");
}

Status SettleDecision(Database& database, DecisionId id, Fate fate, const std::string& error,
                      Time time) {
  return database.Run("UPDATE decisions SET fate = ?, error = ?, settled = ? WHERE id = ?",
                      Name(fate), error, time.unix_nanoseconds(), id);
}

Result<DecisionId> NewestDecision(Database& database) {
  return database.Integer("SELECT coalesce(max(id), 0) FROM decisions");
}

Result<std::vector<OpenIntent>> UnsettledIntents(Database& database) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT d.id, a.uid, a.kind, a.namespace, a.name, d.time, d.current,"
                       " d.desired, s.json FROM decisions d JOIN autoscalers a ON a.id ="
                       " d.autoscaler LEFT JOIN snapshots s ON s.decision = d.id"
                       " WHERE d.fate IN ('intended', 'unknown') ORDER BY d.id"));
  std::vector<OpenIntent> intents;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) {
      return intents;
    }
    OpenIntent intent;
    intent.id = rows.Integer(0);
    intent.subject = {std::string(rows.Text(1)),
                      std::string(rows.Text(2)),
                      {std::string(rows.Text(3)), std::string(rows.Text(4))}};
    intent.time = Time::FromUnixNanoseconds(rows.Integer(5));
    intent.from = static_cast<std::int32_t>(rows.Integer(6));
    intent.to = static_cast<std::int32_t>(rows.Integer(7));
    if (!rows.IsNull(8)) {
      ASSIGN_OR_RETURN(intent.snapshot, Decompress(rows.Blob(8)));
    }
    intents.push_back(std::move(intent));
  }
}

}  // namespace ballast::store
