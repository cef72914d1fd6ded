#include "store/sqlite/history_at.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "store/sqlite/bind_query.h"
#include "store/sqlite/entry_rows.h"
#include "store/sqlite/evaluation_points.h"

namespace ballast::store {
namespace {

// How many of the edits before a decision are looked at.
constexpr std::int64_t kMostEdits = 100;

Result<std::optional<Entry>> ReadOne(Database& database, const char* sql, const HistoryQuery& query,
                                     Time at, const Heartbeat& heartbeat) {
  ASSIGN_OR_RETURN(Statement rows, database.Prepare(sql));
  BindQuery(rows, query, at);
  return rows.One<Entry>(
      [&](const Statement& row) -> Result<Entry> { return EntryAt(row, heartbeat); });
}

Result<Documents> ReadDocuments(Database& database, DecisionId id, std::int64_t& damaged) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT s.json, c.json FROM decisions d LEFT JOIN snapshots s"
                                    " ON s.decision = d.id LEFT JOIN conclusions c ON c.decision"
                                    " = d.id WHERE d.id = ?"));
  rows.Bind(id);
  ASSIGN_OR_RETURN(const bool row, rows.Step());
  if (!row) {
    return Documents();
  }
  return DocumentsAt(rows, 0, damaged);
}

Result<std::optional<Timeline>> ReadTimeline(Database& database, DecisionId id) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT sampled, seen, decided, written, ready FROM timelines"
                                    " WHERE decision = ?"));
  rows.Bind(id);
  return rows.One<Timeline>([](const Statement& row) -> Result<Timeline> {
    return Timeline{row.OptionalMoment(0), row.Moment(1), row.Moment(2), row.OptionalMoment(3),
                    row.OptionalMoment(4)};
  });
}

// Those that `entry` is the first decision with.
Result<std::vector<EditEntry>> ReadEdits(Database& database, const Entry& entry) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT " BALLAST_EDIT_COLUMNS " FROM autoscalers a CROSS JOIN edits e"
                       " ON e.autoscaler = a.id WHERE a.uid = ? AND e.time <= ?"
                       " ORDER BY e.time DESC, e.id DESC LIMIT ?"));
  rows.Bind(entry.subject.uid, entry.time, kMostEdits);
  ASSIGN_OR_RETURN(auto edits, rows.All<EditEntry>(EditEntryAt));
  std::erase_if(edits, [&](const EditEntry& edit) { return edit.decision != entry.id; });
  std::ranges::reverse(edits);
  return edits;
}

// Reads what is on record around the entry `found.last`.
Status ReadContext(Database& database, const HistoryQuery& query, Time at, std::int64_t& damaged,
                   HistoryAt& found) {
  ASSIGN_OR_RETURN(found.timeline, ReadTimeline(database, found.last->id));
  ASSIGN_OR_RETURN(found.point, ReadPoint(database, found.last->subject.uid, at, damaged));
  if (found.point && found.point->time > found.last->time) {
    ASSIGN_OR_RETURN(auto reasons, ReadReasons(database, *found.last, damaged));
    const auto reason = std::ranges::find(reasons, found.point->reason, &ReasonEntry::reason);
    if (reason != reasons.end()) {
      found.reason = std::move(*reason);
    }
  }
  // The newest foreign change, unless the autoscaler itself has scaled since.
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT " BALLAST_FOREIGN_CHANGE_COLUMNS
                       " FROM autoscalers a JOIN foreign_changes f ON f.autoscaler = a.id "
                       "WHERE" BALLAST_AUTOSCALER_CONDITIONS
                       " AND f.time <= ?4 AND NOT EXISTS (SELECT 1 FROM decisions d WHERE"
                       " d.autoscaler = a.id AND d.time > f.time AND d.time < ?5"
                       " AND d.outcome IN ('written', 'observed')) ORDER BY f.time DESC LIMIT 1"));
  BindQuery(rows, query, at, found.last->time);
  ASSIGN_OR_RETURN(found.foreign_change, rows.One<ForeignChangeEntry>(ForeignChangeEntryAt));
  return Done{};
}

}  // namespace

Result<HistoryAt> ReadHistoryAt(Database& database, const HistoryQuery& query, Time at,
                                const Heartbeat& heartbeat, std::int64_t& damaged) {
  HistoryAt found;
  found.heartbeat = heartbeat.evaluated;
  // Several autoscalers may have had the name, one after the other: the index finds the decision of
  // each.
  ASSIGN_OR_RETURN(
      found.last,
      ReadOne(database,
              "SELECT " BALLAST_ENTRY_COLUMNS
              " FROM autoscalers a CROSS JOIN decisions d ON d.id = (SELECT id FROM decisions WHERE"
              " autoscaler = a.id AND time <= ?4 ORDER BY time DESC, id DESC LIMIT 1)"
              " WHERE" BALLAST_AUTOSCALER_CONDITIONS " ORDER BY d.time DESC, d.id DESC LIMIT 1",
              query, at, heartbeat));
  ASSIGN_OR_RETURN(
      found.next,
      ReadOne(database,
              "SELECT " BALLAST_ENTRY_COLUMNS
              " FROM autoscalers a CROSS JOIN decisions d ON d.id = (SELECT id FROM decisions WHERE"
              " autoscaler = a.id AND time > ?4 ORDER BY time, id LIMIT 1)"
              " WHERE" BALLAST_AUTOSCALER_CONDITIONS " ORDER BY d.time, d.id LIMIT 1",
              query, at, heartbeat));
  if (!found.last) {
    return found;
  }
  ASSIGN_OR_RETURN(found.documents, ReadDocuments(database, found.last->id, damaged));
  TRY(ReadContext(database, query, at, damaged, found));
  ASSIGN_OR_RETURN(found.edits, ReadEdits(database, *found.last));
  if (!found.documents.snapshot.empty()) {
    found.kept = found.last;
    found.kept_snapshot = found.documents.snapshot;
    return found;
  }
  ASSIGN_OR_RETURN(
      found.kept,
      ReadOne(database,
              "SELECT " BALLAST_ENTRY_COLUMNS
              " FROM autoscalers a CROSS JOIN decisions d ON d.id = (SELECT d.id FROM decisions d"
              " JOIN snapshots s ON s.decision = d.id WHERE d.autoscaler = a.id AND d.time <= ?4"
              " ORDER BY d.time DESC, d.id DESC LIMIT 1)"
              " WHERE" BALLAST_AUTOSCALER_CONDITIONS " ORDER BY d.time DESC, d.id DESC LIMIT 1",
              query, at, heartbeat));
  if (found.kept) {
    ASSIGN_OR_RETURN(auto documents, ReadDocuments(database, found.kept->id, damaged));
    found.kept_snapshot = std::move(documents.snapshot);
    if (found.kept_snapshot.empty()) {
      found.kept.reset();  // damaged
    }
  }
  return found;
}

}  // namespace ballast::store
