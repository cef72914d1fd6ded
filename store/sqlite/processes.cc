#include "store/sqlite/processes.h"

#include <algorithm>

#include "api/decision/engine_version.h"
#include "store/sqlite/memory_rows.h"

namespace ballast::store {

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

Status InsertDelay(Database& database, const DelayNoted& noted) {
  ASSIGN_OR_RETURN(const auto autoscaler, RowOf(database, noted.subject));
  const Delay& delay = noted.delay;
  return database.Run(
      "INSERT INTO delays (autoscaler, since, time, took, slowest) VALUES (?, ?, ?, ?, ?)",
      autoscaler, delay.since, delay.time, delay.took.nanoseconds, delay.slowest);
}

Result<Duration> Downtime(Database& database, Time from, Time to) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT found, started FROM processes"
                                    " WHERE found < ?2 AND started > ?1 ORDER BY id"));
  rows.Bind(from, to);
  Duration down;
  Time counted = from;
  TRY(rows.ForEach([&](const Statement& row) -> Status {
    const Time begin = std::max(row.Moment(0), counted);
    const Time end = std::min(row.Moment(1), to);
    if (begin < end) {
      down.nanoseconds += (end - begin).nanoseconds;
      counted = end;
    }
    return Done{};
  }));
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

Result<std::optional<Delay>> FindDelay(Database& database, const std::string& uid, Time from,
                                       Time to) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT y.since, y.time, y.took, y.slowest FROM autoscalers a JOIN delays"
                       " y ON y.autoscaler = a.id WHERE a.uid = ? AND y.time > ?"
                       " AND y.since < ? ORDER BY y.time - y.since DESC LIMIT 1"));
  rows.Bind(uid, from, to);
  return rows.One<Delay>([](const Statement& row) -> Result<Delay> {
    return Delay{row.Moment(0), row.Moment(1), Duration{row.Integer(2)}, std::string(row.Text(3))};
  });
}

}  // namespace ballast::store
