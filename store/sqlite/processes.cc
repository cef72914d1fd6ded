#include "store/sqlite/processes.h"

#include <algorithm>

#include "api/decision/engine_version.h"
#include "store/sqlite/memory_rows.h"

namespace ballast::store {
namespace {

struct Span {
  Time from;
  Time until;
};

// Whether an autoscaler was evaluated after `from` and before `until`.
Result<bool> WasEvaluated(Database& database, Time from, Time until) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT 1 FROM autoscalers a WHERE EXISTS (SELECT 1 FROM decisions"
                       " WHERE autoscaler = a.id AND time > ?1 AND time < ?2)"
                       " OR EXISTS (SELECT 1 FROM decisions d WHERE d.until > ?1 AND d.until < ?2"
                       " AND d.id = (SELECT id FROM decisions WHERE autoscaler = a.id"
                       " AND time <= ?1 ORDER BY time DESC, id DESC LIMIT 1)) LIMIT 1"));
  rows.Bind(from, until);
  return rows.Step();
}

}  // namespace

Status InsertProcess(Database& database, const Process& process) {
  std::string namespaces;
  for (const std::string& name : process.namespaces) {
    namespaces += (namespaces.empty() ? "" : ",") + name;
  }
  return database.Run(
      "INSERT INTO processes (started, found, engine, namespaces)"
      " SELECT ?, nullif(evaluated, 0), ?, ? FROM heartbeat WHERE id = 1",
      process.started, engine::kEngineVersion, namespaces);
}

Status InsertDelay(Database& database, const DelayAdded& noted) {
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, noted.subject));
  const Delay& delay = noted.delay;
  return database.Run(
      "INSERT INTO delays (autoscaler, since, time, took, slowest) VALUES (?, ?, ?, ?, ?)",
      autoscaler, delay.since, delay.time, delay.took.nanoseconds, delay.slowest);
}

Result<std::vector<OtherTerm>> OtherTerms(Database& database, Time from, Time to) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT leader, since, until FROM terms WHERE own = 0"
                                    " AND since < ?2 AND (until IS NULL OR until > ?1)"
                                    " ORDER BY since, id"));
  rows.Bind(from, to);
  ASSIGN_OR_RETURN(auto terms, rows.All<OtherTerm>([&](const Statement& row) {
    return Result<OtherTerm>(
        OtherTerm{std::string(row.Text(0)), row.Moment(1), row.IsNull(2) ? to : row.Moment(2)});
  }));
  std::vector<OtherTerm> credible;
  for (OtherTerm& term : terms) {
    // An evaluation that was under way may end after the replica has heard of the other.
    ASSIGN_OR_RETURN(const bool evaluated,
                     WasEvaluated(database, term.since + Duration::Seconds(30), term.until));
    if (!evaluated) {
      credible.push_back(std::move(term));
    }
  }
  return credible;
}

Result<Down> Downtime(Database& database, Time from, Time to, const std::vector<OtherTerm>& terms) {
  struct Start {
    Span pause;
    std::optional<Time> before;  // of the process before
  };
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT found, started, (SELECT started FROM processes b"
                                    " WHERE b.id < p.id ORDER BY b.id DESC LIMIT 1)"
                                    " FROM processes p WHERE found < ?2 AND started > ?1"
                                    " ORDER BY id"));
  rows.Bind(from, to);
  ASSIGN_OR_RETURN(auto starts, rows.All<Start>([](const Statement& row) {
    return Result<Start>(Start{{row.Moment(0), row.Moment(1)}, row.OptionalMoment(2)});
  }));
  Down down;
  Time counted = from;
  for (const auto& [pause, before] : starts) {
    ASSIGN_OR_RETURN(const bool evaluated, WasEvaluated(database, pause.from, pause.until));
    if (evaluated) {
      continue;
    }
    if (before && *before > pause.from && *before < pause.until) {
      down.in_vain = true;
      continue;
    }
    Time begin = std::max(pause.from, counted);
    for (const OtherTerm& term : terms) {
      if (term.since < pause.until) {  // by the process of before, which so far ran
        begin = std::max(begin, term.until);
      }
    }
    const Time end = std::min(pause.until, to);
    if (begin < end) {
      down.span.nanoseconds += (end - begin).nanoseconds;
      counted = end;
    }
  }
  return down;
}

Result<bool> WasUnserved(Database& database, const std::string& namespace_, Time from, Time to) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT 1 FROM processes p WHERE p.started < ?2 AND p.namespaces <> ''"
                       " AND instr(',' || p.namespaces || ',', ',' || ?3 || ',') = 0"
                       " AND NOT EXISTS (SELECT 1 FROM processes n WHERE n.id > p.id"
                       " AND n.started <= ?1) LIMIT 1"));
  rows.Bind(from, to, namespace_);
  return rows.Step();
}

Delay DelayAt(const Statement& row, int column) {
  return {row.Moment(column), row.Moment(column + 1), Duration{row.Integer(column + 2)},
          std::string(row.Text(column + 3))};
}

Result<std::optional<Delay>> FindDelay(Database& database, const std::string& uid, Time from,
                                       Time to) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT y.since, y.time, y.took, y.slowest FROM autoscalers a JOIN delays"
                       " y ON y.autoscaler = a.id WHERE a.uid = ? AND y.time > ?"
                       " AND y.since < ? ORDER BY y.time - y.since DESC LIMIT 1"));
  rows.Bind(uid, from, to);
  return rows.One<Delay>([](const Statement& row) -> Result<Delay> { return DelayAt(row, 0); });
}

}  // namespace ballast::store
