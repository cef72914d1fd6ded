#include "store/sqlite/observation_rows.h"

#include <algorithm>
#include <utility>

#include "store/packing/compress.h"
#include "store/sqlite/memory_rows.h"
#include "store/sqlite/rows.h"

namespace ballast::store {

Status WriteSeries(Database& database, const SeriesSaved& saved) {
  const auto packed = Compress(saved.data);
  if (!packed.ok()) {
    return Error{Code::kInternal, packed.error().message};
  }
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, saved.subject));
  return database.Run(
      "INSERT INTO series (autoscaler, time, until, evaluations, data) VALUES (?, ?, ?, ?, ?)"
      " ON CONFLICT (autoscaler, time) DO UPDATE SET until = excluded.until,"
      " evaluations = excluded.evaluations, data = excluded.data",
      autoscaler, saved.time, saved.until, saved.evaluations, Bytes{*packed});
}

Result<std::vector<SeriesPoint>> SeriesOf(std::string_view data) {
  ASSIGN_OR_RETURN(const std::string packed, Decompress(data));
  return Unpack(packed);
}

Result<std::optional<SeriesPoint>> FindInSeries(Database& database, const std::string& uid,
                                                Time until, std::int64_t& damaged) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT s.data FROM autoscalers a JOIN series s"
                                    " ON s.autoscaler = a.id WHERE a.uid = ? AND s.time <= ?"
                                    " ORDER BY s.time DESC LIMIT 1"));
  rows.Bind(uid, until);
  ASSIGN_OR_RETURN(const bool row, rows.Step());
  if (!row) {
    return std::optional<SeriesPoint>();
  }
  auto points = SeriesOf(rows.Blob(0));
  if (!points.ok()) {
    ++damaged;
    return std::optional<SeriesPoint>();
  }
  const auto next =
      std::ranges::find_if(*points, [&](const SeriesPoint& point) { return point.time > until; });
  if (next == points->begin()) {
    return std::optional<SeriesPoint>();
  }
  return std::optional(std::move(*(next - 1)));
}

Status InsertForeignChange(Database& database, const ForeignChangeAdded& changed) {
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, changed.subject));
  const ForeignChange& change = changed.change;
  return database.Run(
      "INSERT INTO foreign_changes (autoscaler, time, before, after, manager, managed)"
      " VALUES (?, ?, ?, ?, ?, ?)",
      autoscaler, change.time, change.from, change.to, change.manager, change.managed);
}

Status InsertEdit(Database& database, const EditAdded& changed) {
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, changed.subject));
  const Edit& edit = changed.edit;
  return database.Run(
      "INSERT INTO edits (autoscaler, time, field, before, after, manager, managed)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)",
      autoscaler, edit.time, edit.field, edit.before, edit.after, edit.manager, edit.managed);
}

Status WriteSpec(Database& database, const SpecReplaced& kept) {
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, kept.subject));
  if (kept.spec.empty()) {
    return database.Run("DELETE FROM specs WHERE autoscaler = ?", autoscaler);
  }
  return database.Run("INSERT OR REPLACE INTO specs VALUES (?, ?)", autoscaler, Bytes{kept.spec});
}

Result<std::vector<LoadedSpec>> LoadSpecs(Database& database) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT uid, kind, namespace, name, json FROM specs"
                                    " JOIN autoscalers ON autoscalers.id = autoscaler"));
  return rows.All<LoadedSpec>([](const Statement& row) {
    return Result<LoadedSpec>(LoadedSpec{SubjectAt(row, 0), std::string(row.Blob(4))});
  });
}

Status InsertTerm(Database& database, const TermAdded& begun) {
  TRY(database.Run("UPDATE terms SET until = max(since, ?) WHERE until IS NULL", begun.since));
  return database.Run("INSERT INTO terms (leader, own, since) VALUES (?, ?, ?)", begun.leader,
                      begun.own ? 1 : 0, begun.since);
}

Status CloseOwnTerm(Database& database) {
  return database.Run(
      "UPDATE terms SET until = max(since, (SELECT evaluated FROM heartbeat WHERE id = 1))"
      " WHERE until IS NULL AND own = 1");
}

}  // namespace ballast::store
