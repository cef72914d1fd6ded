#include "store/sqlite/entry_rows.h"

#include <algorithm>

#include "store/sqlite/bind_query.h"

namespace ballast::store {
namespace {

// Entries that begin from ?7 until ?6 and do not end before ?5, at a heartbeat of ?4. An
// autoscaler's runs do not overlap, so the last one that began by ?5 is the first one that can
// reach beyond it: the index has them in order from there.
#define BALLAST_ENTRIES                                                                  \
  " FROM autoscalers a CROSS JOIN decisions d ON d.autoscaler = a.id"                    \
  " WHERE" BALLAST_AUTOSCALER_CONDITIONS                                                 \
  " AND d.time >= iif(?5 <= ?7, ?7, max(coalesce((SELECT max(time) FROM decisions WHERE" \
  " autoscaler = a.id AND time <= ?5), ?5), ?7)) AND d.time <= ?6"                       \
  " AND (?5 <= ?7 OR coalesce(d.until, max(d.time, ?4)) >= ?5)"

}  // namespace

Result<std::optional<Extent>> ReadExtent(Database& database, const HistoryQuery& query,
                                         const Heartbeat& heartbeat) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare(
          "SELECT a.uid, a.kind, a.namespace, a.name,"
          " (SELECT min(time) FROM decisions WHERE autoscaler = a.id) AS first,"
          " (SELECT coalesce(until, max(time, ?4)) FROM decisions WHERE autoscaler = a.id"
          " ORDER BY time DESC, id DESC LIMIT 1) AS last"
          " FROM autoscalers a WHERE" BALLAST_AUTOSCALER_CONDITIONS
          " AND first IS NOT NULL ORDER BY last"));
  BindQuery(rows, query, heartbeat.evaluated);
  std::optional<Extent> extent;
  TRY(rows.ForEach([&](const Statement& row) -> Status {
    const Time from = row.Moment(4);
    extent = Extent{SubjectAt(row, 0), extent ? std::min(extent->from, from) : from, row.Moment(5)};
    return Done{};
  }));
  return extent;
}

Result<std::vector<Entry>> ReadEntries(Database& database, const HistoryQuery& query,
                                       const Heartbeat& heartbeat, const Place& after,
                                       std::int64_t until, std::int64_t limit) {
  ASSIGN_OR_RETURN(Statement rows, database.Prepare("SELECT " BALLAST_ENTRY_COLUMNS BALLAST_ENTRIES
                                                    " AND (d.time, d.id) > (?7, ?8)"
                                                    " ORDER BY d.time, d.id LIMIT ?9"));
  BindQuery(rows, query, heartbeat.evaluated, OrElse(query.since, kBeginOfTime), until, after.time,
            after.id, limit);
  return rows.All<Entry>(
      [&](const Statement& row) -> Result<Entry> { return EntryAt(row, heartbeat); });
}

Result<std::optional<Newest>> ReadNewest(Database& database, const HistoryQuery& query,
                                         const Heartbeat& heartbeat, std::int64_t count) {
  const std::int64_t since = OrElse(query.since, kBeginOfTime);
  const std::int64_t until = OrElse(query.until, kEndOfTime);
  const std::int64_t changes = query.changes_only ? 1 : 0;
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT d.time, d.id" BALLAST_ENTRIES
                                    " AND (?8 = 0 OR d.desired <> d.current)"
                                    " ORDER BY d.time DESC, d.id DESC LIMIT 1 OFFSET ?9"));
  BindQuery(rows, query, heartbeat.evaluated, since, until, kBeginOfTime, changes, count - 1);
  ASSIGN_OR_RETURN(const auto from, rows.One<Place>([](const Statement& row) -> Result<Place> {
    return Place{row.Moment(0), row.Integer(1)};
  }));
  if (!from) {
    return std::optional<Newest>();
  }
  ASSIGN_OR_RETURN(Statement before, database.Prepare("SELECT count(*), min(d.time)" BALLAST_ENTRIES
                                                      " AND (?8 = 0 OR d.desired <> d.current)"
                                                      " AND (d.time, d.id) < (?9, ?10)"));
  BindQuery(before, query, heartbeat.evaluated, since, until, kBeginOfTime, changes, from->time,
            from->id);
  TRY(before.Step());
  return before.Integer(0) == 0 ? std::optional<Newest>()
                                : std::optional(Newest{*from, before.Integer(0), before.Moment(1)});
}

Result<std::vector<ReasonEntry>> ReadReasons(Database& database, const Entry& entry,
                                             std::int64_t& damaged) {
  const bool run =
      entry.disposition == Disposition::kNone || entry.disposition == Disposition::kDryRun;
  if (!run || entry.evaluations == 1) {
    return std::vector<ReasonEntry>();
  }
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT time, reason, message, snapshot, conclusion"
                                    " FROM reasons WHERE decision = ? ORDER BY time"));
  rows.Bind(entry.id);
  return rows.All<ReasonEntry>([&](const Statement& row) -> Result<ReasonEntry> {
    return ReasonEntry{row.Moment(0), std::string(row.Text(1)), std::string(row.Text(2)),
                       DocumentsAt(row, 3, damaged)};
  });
}

}  // namespace ballast::store
