#include "store/observation_rows.h"

#include <algorithm>
#include <utility>

#include "store/memory_rows.h"

namespace ballast::store {

Status WriteSeries(Database& database, const SeriesRow& row) {
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, row.subject));
  return database.Run(
      "INSERT INTO tracks (autoscaler, time, until, evaluations, data) VALUES (?, ?, ?, ?, ?)"
      " ON CONFLICT (autoscaler, time) DO UPDATE SET until = excluded.until,"
      " evaluations = excluded.evaluations, data = excluded.data",
      autoscaler, row.time, row.until, row.evaluations, Bytes{row.data});
}

Result<std::optional<SeriesPoint>> FindInSeries(Database& database, const std::string& uid,
                                                Time until) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT t.data FROM autoscalers a JOIN tracks t"
                                    " ON t.autoscaler = a.id WHERE a.uid = ? AND t.time <= ?"
                                    " ORDER BY t.time DESC LIMIT 1"));
  rows.Bind(uid, until);
  ASSIGN_OR_RETURN(const bool row, rows.Step());
  if (!row) {
    return std::optional<SeriesPoint>();
  }
  ASSIGN_OR_RETURN(auto points, Unpack(rows.Blob(0)));
  const auto next =
      std::ranges::find_if(points, [&](const SeriesPoint& point) { return point.time > until; });
  if (next == points.begin()) {
    return std::optional<SeriesPoint>();
  }
  return std::optional(std::move(*(next - 1)));
}

Status InsertForeignChange(Database& database, const Subject& subject,
                           const ForeignChange& change) {
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, subject));
  return database.Run(
      "INSERT INTO foreign_changes (autoscaler, time, before, after, manager, managed)"
      " VALUES (?, ?, ?, ?, ?, ?)",
      autoscaler, change.time, change.from, change.to, change.manager, change.managed);
}

Status InsertTerm(Database& database, const std::string& leader, bool own, Time since) {
  TRY(database.Run("UPDATE terms SET until = max(since, ?) WHERE until IS NULL", since));
  return database.Run("INSERT INTO terms (leader, own, since) VALUES (?, ?, ?)", leader,
                      own ? 1 : 0, since);
}

Status CloseOwnTerm(Database& database) {
  return database.Run(
      "UPDATE terms SET until = max(since, (SELECT evaluated FROM heartbeat WHERE id = 1))"
      " WHERE until IS NULL AND own = 1");
}

}  // namespace ballast::store
