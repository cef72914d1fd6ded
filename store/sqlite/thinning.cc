#include "store/sqlite/thinning.h"

#include <algorithm>
#include <array>
#include <string>

#include "store/sqlite/decisions.h"

namespace ballast::store {
namespace {

// How many rows of a table a step deletes at most.
constexpr std::int64_t kRows = 16;
// How many rows a step reads at most, so as to skip those with a time in the future.
constexpr std::int64_t kPassedOver = 5'000;
// How many pages a step returns to the file system.
constexpr std::int64_t kPages = 64;
// How many free pages are kept for what is written next.
constexpr std::int64_t kSpare = 1'024;
// How many autoscalers a step looks at.
constexpr std::int64_t kLookedAt = 200;

// Selects the oldest rows of a table, by `id`. ?1: rows at most; ?2: rows before this time are old;
// ?3: now; ?4: how many rows to read.
#define BALLAST_OLDEST(TABLE, WHEN)                                                   \
  "SELECT id FROM (SELECT id, " WHEN " AS last FROM (SELECT id, " WHEN " FROM " TABLE \
  " ORDER BY id LIMIT ?4) WHERE " WHEN " <= ?3 OR " WHEN                              \
  " IS NULL ORDER BY id LIMIT ?1)"                                                    \
  " WHERE last < ?2"
#define BALLAST_DELETE_OLD(TABLE, WHEN) \
  "DELETE FROM " TABLE " WHERE id IN (" BALLAST_OLDEST(TABLE, WHEN) ")"

// A process is as old as its end, when the next one started: the last one may still run.
#define BALLAST_PROCESSES                                                                          \
  "(SELECT id, (SELECT started FROM processes n WHERE n.id > p.id ORDER BY n.id LIMIT 1) AS ended" \
  " FROM processes p)"

// Fills the table `going` with the ids of the decisions that `sql` selects, and deletes them with
// all rows that refer to them. Returns how many decisions there were.
template <typename... Args>
Result<std::int64_t> DeleteDecisions(Database& database, const char* sql, const Args&... args) {
  TRY(database.Execute("CREATE TEMP TABLE IF NOT EXISTS going (id INTEGER PRIMARY KEY)"));
  TRY(database.Run("DELETE FROM going"));
  TRY(database.Run(sql, args...));
  constexpr std::array kDeletes = {
      "DELETE FROM snapshots WHERE decision IN (SELECT id FROM going)",
      "DELETE FROM conclusions WHERE decision IN (SELECT id FROM going)",
      "DELETE FROM ranges WHERE decision IN (SELECT id FROM going)",
      "DELETE FROM timelines WHERE decision IN (SELECT id FROM going)",
      "DELETE FROM reasons WHERE decision IN (SELECT id FROM going)",
      "DELETE FROM decisions WHERE id IN (SELECT id FROM going)"};
  for (const char* erase : kDeletes) {
    TRY(database.Run(erase));
  }
  return database.Integer("SELECT count(*) FROM going");
}

// Deletes rows older than `before`. Ids grow with time, so the oldest rows come first and no others
// are read. Only rows from when a clock was ahead are skipped, up to some thousands.
Result<std::int64_t> DeleteOld(Database& database, Time before, Time now) {
  ASSIGN_OR_RETURN(std::int64_t gone,
                   DeleteDecisions(database,
                                   "INSERT INTO going " BALLAST_OLDEST(
                                       "decisions d WHERE NOT (" BALLAST_OPEN_ATTEMPT ")", "until"),
                                   kRows, before, now, kPassedOver));
  for (const char* erase :
       {BALLAST_DELETE_OLD("series", "until"), BALLAST_DELETE_OLD("foreign_changes", "time"),
        BALLAST_DELETE_OLD("edits", "time"), BALLAST_DELETE_OLD("terms", "until"),
        BALLAST_DELETE_OLD("delays", "time"),
        "DELETE FROM processes WHERE id IN (" BALLAST_OLDEST(BALLAST_PROCESSES, "ended") ")"}) {
    TRY(database.Run(erase, kRows, before, now, kPassedOver));
    ASSIGN_OR_RETURN(const auto rows, database.Integer("SELECT changes()"));
    gone += rows;
  }
  return gone;
}

// The last of the next autoscalers to look at; 0: there are no more after them.
Result<std::int64_t> LastToLookAt(Database& database, std::int64_t after) {
  ASSIGN_OR_RETURN(Statement rows, database.Prepare("SELECT id FROM autoscalers WHERE id > ?"
                                                    " ORDER BY id LIMIT 1 OFFSET ?"));
  rows.Bind(after, kLookedAt - 1);
  ASSIGN_OR_RETURN(const auto last, rows.One<std::int64_t>([](const Statement& row) {
    return Result<std::int64_t>(row.Integer(0));
  }));
  return last.value_or(0);
}

// Deletes those of the next autoscalers that have neither memory, spec nor history any more. They
// take turns, since as many may have been deleted within the age of the history as were made.
Result<std::int64_t> DeleteAutoscalers(Database& database, std::int64_t& looked_at) {
  const std::int64_t after = looked_at;
  ASSIGN_OR_RETURN(looked_at, LastToLookAt(database, after));
  TRY(
      database.Run("DELETE FROM autoscalers WHERE id IN (SELECT id FROM autoscalers a WHERE id > ?1"
                   " AND (id <= ?2 OR ?2 = 0) AND evaluated IS NULL"
                   " AND NOT EXISTS (SELECT 1 FROM specs WHERE autoscaler = a.id)"
                   " AND NOT EXISTS (SELECT 1 FROM decisions WHERE autoscaler = a.id)"
                   " AND NOT EXISTS (SELECT 1 FROM series WHERE autoscaler = a.id)"
                   " AND NOT EXISTS (SELECT 1 FROM delays WHERE autoscaler = a.id)"
                   " AND NOT EXISTS (SELECT 1 FROM edits WHERE autoscaler = a.id)"
                   " AND NOT EXISTS (SELECT 1 FROM foreign_changes WHERE autoscaler = a.id))",
                   after, looked_at));
  return database.Integer("SELECT changes()");
}

// Deletes rows of a table that are not newer than `until`, the oldest first.
#define BALLAST_DELETE_UNTIL(TABLE) \
  "DELETE FROM " TABLE " WHERE id IN (SELECT id FROM " TABLE " ORDER BY id LIMIT ?) AND time <= ?"
Result<std::int64_t> DeleteUntil(Database& database, const char* sql, std::int64_t until) {
  TRY(database.Run(sql, kRows, until));
  return database.Integer("SELECT changes()");
}

// Deletes the oldest of what changed nothing: delays, series, and runs that ended before the oldest
// of these, so that what is left is complete since then (reach.h). 0: nothing is left.
Result<std::int64_t> DeleteQuiet(Database& database) {
  ASSIGN_OR_RETURN(
      const auto decision,
      database.Integer("SELECT coalesce((SELECT until FROM decisions WHERE outcome = 'none'"
                       " AND until IS NOT NULL ORDER BY id LIMIT 1), 9223372036854775807)"));
  ASSIGN_OR_RETURN(const auto series,
                   database.Integer("SELECT coalesce((SELECT time FROM series ORDER BY id LIMIT 1),"
                                    " 9223372036854775807)"));
  ASSIGN_OR_RETURN(const auto delays, DeleteUntil(database, BALLAST_DELETE_UNTIL("delays"),
                                                  std::min(decision, series)));
  if (delays > 0) {
    return delays;
  }
  if (series < decision) {
    TRY(database.Run("DELETE FROM series WHERE id IN (SELECT id FROM series ORDER BY id LIMIT ?)",
                     kRows));
    return database.Integer("SELECT changes()");
  }
  return DeleteDecisions(database,
                         "INSERT INTO going SELECT id FROM (SELECT id, until FROM decisions"
                         " WHERE outcome = 'none' AND until IS NOT NULL ORDER BY id LIMIT ?)"
                         " WHERE until <= ?",
                         kRows, series);
}

// Deletes the oldest of what is left: edits, changes by others, or decisions. 0: nothing is left.
Result<std::int64_t> DeleteOldest(Database& database) {
  ASSIGN_OR_RETURN(const auto decision,
                   database.Integer("SELECT coalesce((SELECT time FROM decisions d WHERE until"
                                    " IS NOT NULL AND NOT (" BALLAST_OPEN_ATTEMPT
                                    ") ORDER BY id LIMIT 1), 9223372036854775807)"));
  for (const char* sql : {BALLAST_DELETE_UNTIL("edits"), BALLAST_DELETE_UNTIL("foreign_changes")}) {
    ASSIGN_OR_RETURN(const auto gone, DeleteUntil(database, sql, decision));
    if (gone > 0) {
      return gone;
    }
  }
  return DeleteDecisions(database,
                         "INSERT INTO going SELECT id FROM decisions d WHERE until IS NOT NULL"
                         " AND NOT (" BALLAST_OPEN_ATTEMPT ") ORDER BY id LIMIT ?",
                         kRows);
}

Result<std::int64_t> FreePages(Database& database) {
  return database.Integer("PRAGMA freelist_count");
}

Result<bool> TooLarge(Database& database, std::int64_t bytes, bool cramped) {
  ASSIGN_OR_RETURN(const auto pages, database.Integer("PRAGMA page_count"));
  ASSIGN_OR_RETURN(const auto free, FreePages(database));
  ASSIGN_OR_RETURN(const auto size, database.Integer("PRAGMA page_size"));
  return (bytes > 0 && (pages - free) * size > bytes) || (cramped && free < kSpare);
}

}  // namespace

Result<bool> Thin(Database& database, const Retention& retention, Time now, bool cramped,
                  Thinning& thinning) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  ASSIGN_OR_RETURN(std::int64_t gone, DeleteOld(database, now - retention.age, now));
  if (gone == 0) {
    ASSIGN_OR_RETURN(const bool too_large, TooLarge(database, retention.bytes, cramped));
    if (too_large) {
      ASSIGN_OR_RETURN(gone, DeleteQuiet(database));
      if (gone == 0) {
        ASSIGN_OR_RETURN(gone, DeleteOldest(database));
      }
    }
  }
  if (gone == 0) {
    ASSIGN_OR_RETURN(gone, DeleteAutoscalers(database, thinning.looked_at));
  }
  ASSIGN_OR_RETURN(const auto free, FreePages(database));
  const bool vacuum = free > kSpare && !cramped;  // else others may take the room
  if (vacuum) {
    TRY(database.Execute("PRAGMA incremental_vacuum(" + std::to_string(kPages) + ")"));
  }
  TRY(transaction.Commit());
  return gone > 0 || vacuum;
}

}  // namespace ballast::store
