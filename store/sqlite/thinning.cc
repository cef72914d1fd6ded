#include "store/sqlite/thinning.h"

#include <set>
#include <string>
#include <vector>

#include "store/sqlite/decisions.h"
#include "store/sqlite/deletion.h"

namespace ballast::store {
namespace {

// How many rows a step reads at most, so as to skip those with a time in the future.
constexpr std::int64_t kPassedOver = 5'000;
// How many pages a step returns to the file system.
constexpr std::int64_t kPages = 64;
// How many free pages are kept for what is written next.
constexpr std::int64_t kSpare = 1'024;
// How many autoscalers a step looks at.
constexpr std::int64_t kLookedAt = 200;

// Selects the oldest rows of a table, by `id`. ?1: rows at most; ?2: rows before this time are old;
// ?3: now; ?4: how many rows to read. (What is read is in order, which a second ORDER BY would only
// find out by reading all of them.)
#define BALLAST_OLDEST(TABLE, WHEN)                                                   \
  "SELECT id FROM (SELECT id, " WHEN " AS last FROM (SELECT id, " WHEN " FROM " TABLE \
  " ORDER BY id LIMIT ?4) WHERE " WHEN " <= ?3 OR " WHEN                              \
  " IS NULL LIMIT ?1)"                                                                \
  " WHERE last < ?2"
// Returns what `OF` says of each: its autoscaler, or NULL where it has none.
#define BALLAST_DELETE_OLD(TABLE, FROM, WHEN, OF) \
  "DELETE FROM " TABLE " WHERE id IN (" BALLAST_OLDEST(FROM, WHEN) ") RETURNING " OF

// A process is as old as its end, when the next one started: the last one may still run.
#define BALLAST_PROCESSES                                                                          \
  "(SELECT id, (SELECT started FROM processes n WHERE n.id > p.id ORDER BY n.id LIMIT 1) AS ended" \
  " FROM processes p)"

// Notes that what their namespaces had before is deleted.
Status NoteDeletedOf(Database& database, const std::vector<std::int64_t>& autoscalers, Time since) {
  for (const std::int64_t autoscaler : std::set(autoscalers.begin(), autoscalers.end())) {
    ASSIGN_OR_RETURN(Statement rows,
                     database.Prepare("SELECT namespace FROM autoscalers WHERE id = ?"));
    rows.Bind(autoscaler);
    ASSIGN_OR_RETURN(const bool found, rows.Step());
    if (found) {
      TRY(NoteDeleted(database, rows.Text(0), since));
    }
  }
  return Done{};
}

// Deletes rows older than `before`. Ids grow with time, so the oldest rows come first and no others
// are read. Only rows from when a clock was ahead are skipped, up to some thousands.
Result<std::int64_t> DeleteOld(Database& database, Time before, Time now) {
  ASSIGN_OR_RETURN(std::vector<std::int64_t> autoscalers,
                   DeleteDecisions(database,
                                   "INSERT INTO going " BALLAST_OLDEST(
                                       "decisions d WHERE NOT (" BALLAST_OPEN_ATTEMPT ")", "until"),
                                   kRowsOfAStep, before, now, kPassedOver));
  auto gone = static_cast<std::int64_t>(autoscalers.size());
  for (const char* erase :
       {BALLAST_DELETE_OLD("series", "series", "until", "autoscaler"),
        BALLAST_DELETE_OLD("foreign_changes", "foreign_changes", "time", "autoscaler"),
        BALLAST_DELETE_OLD("edits", "edits", "time", "autoscaler"),
        BALLAST_DELETE_OLD("delays", "delays", "time", "autoscaler"),
        BALLAST_DELETE_OLD("terms", "terms", "until", "NULL"),
        BALLAST_DELETE_OLD("processes", BALLAST_PROCESSES, "ended", "NULL")}) {
    ASSIGN_OR_RETURN(Statement rows, database.Prepare(erase));
    rows.Bind(kRowsOfAStep, before, now, kPassedOver);
    TRY(rows.ForEach([&](const Statement& row) -> Status {
      ++gone;
      if (!row.IsNull(0)) {
        autoscalers.push_back(row.Integer(0));
      }
      return Done{};
    }));
  }
  TRY(NoteDeletedOf(database, autoscalers, before));
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

// Deletes those of the namespaces without history that have no autoscaler any more, once what they
// had would be too old as well.
Result<std::int64_t> DeleteNamespaces(Database& database, Time before, Shrinking& shrinking) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare(
          "DELETE FROM namespaces WHERE name IN (SELECT name FROM namespaces n WHERE bytes = 0"
          " AND (since IS NULL OR since < ?) AND NOT EXISTS (SELECT 1 FROM autoscalers WHERE"
          " namespace = n.name) LIMIT ?) RETURNING name"));
  rows.Bind(before, kRowsOfAStep);
  std::int64_t gone = 0;
  TRY(rows.ForEach([&](const Statement& row) -> Status {
    shrinking.sweeps.erase(std::string(row.Text(0)));
    ++gone;
    return Done{};
  }));
  return gone;
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
  const Time before = now - retention.age;
  ASSIGN_OR_RETURN(const std::int64_t old, DeleteOld(database, before, now));
  bool more = old > 0;
  if (!more) {
    ASSIGN_OR_RETURN(const bool too_large, TooLarge(database, retention.bytes, cramped));
    if (too_large) {
      ASSIGN_OR_RETURN(more, Shrink(database, thinning.shrinking));
    }
  }
  if (!more) {
    ASSIGN_OR_RETURN(const auto autoscalers, DeleteAutoscalers(database, thinning.looked_at));
    ASSIGN_OR_RETURN(const auto namespaces, DeleteNamespaces(database, before, thinning.shrinking));
    more = autoscalers + namespaces > 0;
  }
  ASSIGN_OR_RETURN(const auto free, FreePages(database));
  const bool vacuum = free > kSpare && !cramped;  // else others may take the room
  if (vacuum) {
    TRY(database.Execute("PRAGMA incremental_vacuum(" + std::to_string(kPages) + ")"));
  }
  TRY(transaction.Commit());
  return more || vacuum;
}

}  // namespace ballast::store
