#include "store/sqlite/decisions.h"

#include <utility>

#include "api/decision/engine_version.h"
#include "store/packing/compress.h"
#include "store/sqlite/memory_rows.h"
#include "store/sqlite/rows.h"

namespace ballast::store {
namespace {

Status InsertConclusion(Database& database, DecisionId id, const std::string& compressed) {
  if (compressed.empty()) {
    return Done{};
  }
  return database.Run(
      "INSERT INTO conclusions VALUES (?, ?) ON CONFLICT DO UPDATE SET json = excluded.json", id,
      Bytes{compressed});
}

}  // namespace

Status InsertDecision(Database& database, const DecisionAdded& added) {
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, added.subject));
  // A run's end and length are not known yet.
  TRY(database.Run(
      "INSERT INTO decisions (id, autoscaler, time, until, evaluations, current, desired, reason,"
      " message, outcome, generation, made_by, engine) VALUES (?1, ?2, ?3, iif(?4, NULL, ?3),"
      " iif(?4, NULL, 1), ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
      added.id, autoscaler, added.time, added.run ? 1 : 0, added.current_replicas,
      added.desired_replicas, added.reason, added.message, Name(added.disposition),
      added.generation, Name(added.made_by), engine::kEngineVersion));
  if (const auto& timeline = added.timeline) {
    TRY(database.Run("INSERT INTO timelines (decision, sampled, seen, decided) VALUES (?, ?, ?, ?)",
                     added.id, timeline->sampled, timeline->seen, timeline->decided));
  }
  if (!added.documents.snapshot.empty()) {
    TRY(database.Run("INSERT INTO snapshots VALUES (?, ?)", added.id,
                     Bytes{added.documents.snapshot}));
  }
  return InsertConclusion(database, added.id, added.documents.conclusion);
}

Status InsertReason(Database& database, const ReasonAdded& added) {
  return database.Run("INSERT INTO reasons VALUES (?, ?, ?, ?, ?, ?)", added.run, added.time,
                      added.reason, added.message, Bytes{added.documents.snapshot},
                      Bytes{added.documents.conclusion});
}

Status CloseRun(Database& database, const RunClosed& closed) {
  TRY(database.Run("UPDATE decisions SET until = ?, evaluations = ?, others = ? WHERE id = ?",
                   closed.until, closed.evaluations, closed.others, closed.id));
  std::int64_t position = 0;
  for (const MetricRange& metric : closed.ranges) {
    if (metric.any) {
      TRY(database.Run("INSERT INTO ranges VALUES (?, ?, ?, ?, ?, ?)", closed.id, position,
                       metric.metric, metric.target, metric.low, metric.high));
    }
    ++position;
  }
  return Done{};
}

Status ReopenRun(Database& database, const RunReopened& reopened) {
  TRY(database.Run("DELETE FROM ranges WHERE decision = ?", reopened.id));
  return database.Run("UPDATE decisions SET until = NULL, evaluations = NULL WHERE id = ?",
                      reopened.id);
}

Status CloseOpenRuns(Database& database) {
  return database.Run(
      "UPDATE decisions SET until = max(time, (SELECT evaluated FROM heartbeat WHERE id = 1))"
      " WHERE until IS NULL");
}

Status SettleDecision(Database& database, const DecisionSettled& settled) {
  TRY(database.Run("UPDATE decisions SET outcome = ?, error = ?, settled = ? WHERE id = ?",
                   Name(settled.disposition), settled.error, settled.time, settled.id));
  return InsertConclusion(database, settled.id, settled.conclusion);
}

Status CorrectDisposition(Database& database, const DispositionCorrected& corrected) {
  return database.Run(
      "UPDATE decisions SET concluded = coalesce(concluded, outcome),"
      " concluded_error = coalesce(concluded_error, error), outcome = ?, error = ?, settled = ?"
      " WHERE id = ?",
      Name(corrected.disposition), corrected.error, corrected.time, corrected.id);
}

Status MarkWritten(Database& database, const WriteConfirmed& confirmed) {
  return database.Run("UPDATE timelines SET written = ? WHERE decision = ?", confirmed.time,
                      confirmed.id);
}

Status MarkReady(Database& database, const PodsGotReady& ready) {
  return database.Run("UPDATE timelines SET ready = ? WHERE decision = ?", ready.time, ready.id);
}

Result<DecisionId> NewestDecision(Database& database) {
  return database.Integer("SELECT coalesce(max(id), 0) FROM decisions");
}

Result<std::vector<OpenIntent>> UnsettledIntents(Database& database) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT d.id, a.uid, a.kind, a.namespace, a.name, d.time, d.current,"
                       " d.desired, d.outcome, s.json, coalesce(t.decided, d.time) FROM decisions d"
                       " JOIN autoscalers a ON a.id = d.autoscaler"
                       " LEFT JOIN snapshots s ON s.decision = d.id"
                       " LEFT JOIN timelines t ON t.decision = d.id"
                       " WHERE " BALLAST_OPEN_ATTEMPT " ORDER BY d.id"));
  return rows.All<OpenIntent>([](const Statement& row) -> Result<OpenIntent> {
    OpenIntent intent;
    intent.id = row.Integer(0);
    intent.subject = SubjectAt(row, 1);
    intent.time = row.Moment(5);
    intent.from = row.Integer32(6);
    intent.to = row.Integer32(7);
    intent.given_up = row.Text(8) == Name(Disposition::kUnknown);
    if (!row.IsNull(9)) {
      auto snapshot = Decompress(row.Blob(9));
      intent.snapshot = snapshot.ok() ? std::move(snapshot).value() : "";
    }
    intent.decided = row.Moment(10);
    return intent;
  });
}

// An autoscaler's newest decision is the one with the greatest number, not the latest time, since
// the clock may have been set back. There is no index by autoscaler and number, so this looks at
// the newest 100,000 decisions of all, and takes the latest time of autoscalers without one there.
Result<std::unordered_map<std::string, LastReplicas>> LoadLastReplicas(Database& database) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare(
          "WITH newest AS MATERIALIZED (SELECT autoscaler, max(id) AS id FROM (SELECT autoscaler,"
          " id FROM decisions ORDER BY id DESC LIMIT 100000) GROUP BY autoscaler)"
          " SELECT a.uid, d.current, d.desired, d.outcome, w.id, w.current, w.desired, w.time,"
          " t.ready IS NOT NULL, d.generation FROM autoscalers a LEFT JOIN newest n ON "
          "n.autoscaler = a.id"
          " JOIN decisions d ON d.id = coalesce(n.id, (SELECT id FROM decisions"
          " WHERE autoscaler = a.id ORDER BY time DESC, id DESC LIMIT 1))"
          " LEFT JOIN decisions w ON w.id = (SELECT max(id) FROM decisions"
          " WHERE autoscaler = a.id AND outcome = 'written')"
          " LEFT JOIN timelines t ON t.decision = w.id"));
  std::unordered_map<std::string, LastReplicas> all;
  TRY(rows.ForEach([&](const Statement& row) -> Status {
    LastReplicas& last = all[std::string(row.Text(0))];
    ASSIGN_OR_RETURN(const Disposition disposition, ParseDisposition(row.Text(3)));
    if (disposition != Disposition::kIntended && disposition != Disposition::kUnknown) {
      last.replicas = row.Integer32(Changed(disposition) ? 2 : 1);
    }
    if (!row.IsNull(4)) {
      last.write = ScaleWrite{row.Integer(4), row.Integer32(5), row.Integer32(6), row.Moment(7),
                              row.Integer(8) != 0};
    }
    if (!row.IsNull(9)) {
      last.generation = row.Integer(9);
    }
    return Done{};
  }));
  return all;
}

}  // namespace ballast::store
