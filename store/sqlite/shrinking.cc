#include "store/sqlite/shrinking.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "store/sqlite/decisions.h"
#include "store/sqlite/deletion.h"

namespace ballast::store {
namespace {

// How many rows of a table a step deletes at most, or a few more. Those of one autoscaler lie
// apart, so that each costs pages of its own.
constexpr std::int64_t kRows = 8;

// How many autoscalers a step visits.
constexpr std::int64_t kVisited = 25;

// By how much the front advances: a part of what is left until the newest evaluation. The longer,
// the fewer sweeps; the shorter, the less is said to be gone before it is.
constexpr std::int64_t kParts = 64;
constexpr Duration kShortest = Duration::Seconds(1);
constexpr Duration kLongest = Duration::Seconds(3600);

// An autoscaler, and when the oldest of its history ended.
struct Visited {
  std::int64_t id = 0;
  std::string name;
  std::optional<Time> quiet;    // of what changed nothing
  std::optional<Time> changes;  // of the rest, if that is swept
};

void Keep(std::optional<Time>& oldest, const std::optional<Time>& other) {
  if (other) {
    oldest = std::min(oldest.value_or(*other), *other);
  }
}

// Of each kind of row of `autoscalers a` when the oldest one ended.
#define BALLAST_FIRST(WHEN, FROM) ", (SELECT " WHEN " FROM " FROM " ORDER BY time LIMIT 1)"
#define BALLAST_QUIET                                                          \
  BALLAST_FIRST("max(time, until)",                                            \
                "decisions INDEXED BY decisions_quiet WHERE autoscaler = a.id" \
                " AND outcome = 'none' AND until IS NOT NULL")                 \
  BALLAST_FIRST("max(time, until)", "series WHERE autoscaler = a.id")          \
  BALLAST_FIRST("time", "delays WHERE autoscaler = a.id")
#define BALLAST_CHANGES                                                         \
  BALLAST_FIRST("max(time, until)",                                             \
                "decisions d WHERE autoscaler = a.id AND until IS NOT NULL AND" \
                " NOT (" BALLAST_OPEN_ATTEMPT ")")                              \
  BALLAST_FIRST("time", "edits WHERE autoscaler = a.id")                        \
  BALLAST_FIRST("time", "foreign_changes WHERE autoscaler = a.id")
#define BALLAST_VISIT(COLUMNS)                \
  "SELECT a.id, a.name" COLUMNS               \
  " FROM autoscalers a WHERE a.namespace = ?" \
  " AND (a.name, a.id) > (?, ?) ORDER BY a.name, a.id LIMIT ?"

// The next autoscalers.
Result<std::vector<Visited>> VisitNext(Database& database, const std::string& name_space,
                                       const Sweep& sweep) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare(sweep.changes ? BALLAST_VISIT(BALLAST_QUIET BALLAST_CHANGES)
                                                  : BALLAST_VISIT(BALLAST_QUIET)));
  rows.Bind(name_space, sweep.name, sweep.id, kVisited);
  return rows.All<Visited>([&](const Statement& row) -> Result<Visited> {
    Visited visited{row.Integer(0), std::string(row.Text(1)), {}, {}};
    for (const int column : {2, 3, 4}) {
      Keep(visited.quiet, row.OptionalMoment(column));
      if (sweep.changes) {
        Keep(visited.changes, row.OptionalMoment(column + 3));
      }
    }
    return visited;
  });
}

// The rows of `TABLE` that ended before ?2, of the autoscaler ?1; at most ?3.
#define BALLAST_BEFORE(TABLE, WHEN)                          \
  "DELETE FROM " TABLE " WHERE id IN (SELECT id FROM " TABLE \
  " WHERE autoscaler = ?1 AND time < ?2 AND " WHEN " < ?2 ORDER BY time LIMIT ?3)"

// Deletes an autoscaler's oldest before the front; fewer than kRows: there are no more.
Result<std::int64_t> DeleteBefore(Database& database, std::int64_t autoscaler, const Sweep& sweep) {
  constexpr std::array kQuiet = {BALLAST_BEFORE("delays", "time"),
                                 BALLAST_BEFORE("series", "until")};
  constexpr std::array kChanges = {BALLAST_BEFORE("edits", "time"),
                                   BALLAST_BEFORE("foreign_changes", "time")};
  std::int64_t gone = 0;
  for (const char* erase : sweep.changes ? kChanges : kQuiet) {
    TRY(database.Run(erase, autoscaler, sweep.front, kRows));
    ASSIGN_OR_RETURN(const auto rows, database.Integer("SELECT changes()"));
    gone += rows;
  }
  constexpr const char* kQuietDecisions =
      "INSERT INTO going SELECT id FROM decisions INDEXED BY decisions_quiet WHERE autoscaler = ?1"
      " AND time < ?2 AND outcome = 'none' AND until IS NOT NULL AND until < ?2"
      " ORDER BY time LIMIT ?3";
  constexpr const char* kDecisions =
      "INSERT INTO going SELECT id FROM decisions d WHERE autoscaler = ?1 AND time < ?2"
      " AND until < ?2 AND NOT (" BALLAST_OPEN_ATTEMPT ") ORDER BY time LIMIT ?3";
  ASSIGN_OR_RETURN(const auto decisions,
                   DeleteDecisions(database, sweep.changes ? kDecisions : kQuietDecisions,
                                   autoscaler, sweep.front, kRows));
  return gone + static_cast<std::int64_t>(decisions.size());
}

// The newest evaluation.
Result<Time> Newest(Database& database) {
  ASSIGN_OR_RETURN(const auto evaluated,
                   database.Integer("SELECT evaluated FROM heartbeat WHERE id = 1"));
  return Time::FromUnixNanoseconds(evaluated);
}

// Begins the next sweep where the last one has left something, or of what it has not looked at.
// False: all that is left has to stay.
Result<bool> Advance(Database& database, Sweep& sweep) {
  const bool looked_at_all = sweep.changes;
  const auto oldest = sweep.quiet ? sweep.quiet : sweep.left;
  sweep = {.front = sweep.front, .changes = !sweep.quiet && (sweep.left || !looked_at_all)};
  if (!oldest) {
    sweep.front = Time();
    return !looked_at_all;
  }
  ASSIGN_OR_RETURN(const Time newest, Newest(database));
  const Duration part{(newest - *oldest).nanoseconds / kParts};
  // What a clock that was ahead has left is few sweeps' work.
  sweep.front = *oldest + (*oldest > newest ? kLongest : std::clamp(part, kShortest, kLongest));
  return true;
}

// Visits the next autoscalers, until as much has gone as may in a step. False: as Advance.
Result<bool> Continue(Database& database, const std::string& name_space, Sweep& sweep) {
  ASSIGN_OR_RETURN(const auto autoscalers, VisitNext(database, name_space, sweep));
  std::int64_t gone = 0;
  for (const Visited& visited : autoscalers) {
    if (sweep.changes && visited.quiet) {
      sweep.quiet = visited.quiet;
      return Advance(database, sweep);  // it was recorded since, and goes first
    }
    auto oldest = sweep.changes ? visited.changes : visited.quiet;
    if (oldest && *oldest < sweep.front) {
      // It says nothing about a time that has not come yet.
      ASSIGN_OR_RETURN(const Time newest, Newest(database));
      TRY(NoteDeleted(database, name_space, std::min(sweep.front, newest)));
      ASSIGN_OR_RETURN(const std::int64_t rows, DeleteBefore(database, visited.id, sweep));
      gone += rows;
      if (gone >= kRows) {
        return true;  // it comes again: more of it may go
      }
      oldest = sweep.front;  // there may be more from then on
    }
    Keep(sweep.changes ? sweep.left : sweep.quiet, oldest);
    sweep.name = visited.name;
    sweep.id = visited.id;
  }
  return std::ssize(autoscalers) == kVisited ? Result<bool>(true) : Advance(database, sweep);
}

// The namespace whose history takes the most, of those that are not spent.
Result<std::optional<std::string>> FindLargest(Database& database,
                                               const std::set<std::string>& spent) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT name FROM namespaces ORDER BY bytes DESC, name DESC"));
  for (;;) {
    ASSIGN_OR_RETURN(auto found, rows.One<std::string>([](const Statement& row) {
      return Result<std::string>(std::string(row.Text(0)));
    }));
    if (!found || !spent.contains(*found)) {
      return found;
    }
  }
}

}  // namespace

Result<bool> Shrink(Database& database, Shrinking& shrinking) {
  ASSIGN_OR_RETURN(const auto largest, FindLargest(database, shrinking.spent));
  if (!largest) {
    shrinking.spent.clear();
    return false;
  }
  ASSIGN_OR_RETURN(const bool more, Continue(database, *largest, shrinking.sweeps[*largest]));
  if (!more) {
    shrinking.spent.insert(*largest);
  }
  return true;
}

}  // namespace ballast::store
