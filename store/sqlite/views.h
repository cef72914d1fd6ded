// Views for people with the plain sqlite3 shell, with names and UTC times where the tables have
// numbers. The program itself does not read them. docs/store.md describes them.
//
// Thread-safety: constants.
// Errors: none.
#pragma once

namespace ballast::store {

// Drops the views of an earlier version and creates them.
inline constexpr char kViews[] = R"sql(
DROP VIEW IF EXISTS history;
CREATE VIEW history AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       datetime(d.until / 1000000000, 'unixepoch') AS until,
       d.evaluations, d.current AS replicas, d.desired AS wanted, d.fate AS outcome, d.reason,
       d.message, d.error, d.id AS decision
  FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler;

DROP VIEW IF EXISTS scalings;
CREATE VIEW scalings AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       d.current AS before, d.desired AS after, d.fate AS outcome, d.message, d.error,
       (d.time - t.sampled) / 1000000 AS sample_age_ms, (t.seen - d.time) / 1000000 AS answers_ms,
       (t.decided - t.seen) / 1000000 AS decided_ms, (t.written - t.decided) / 1000000 AS written_ms,
       (t.ready - d.time) / 1000000 AS ready_ms, d.id AS decision
  FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler LEFT JOIN timelines t ON t.decision = d.id
 WHERE d.desired <> d.current;

DROP VIEW IF EXISTS metric_ranges;
CREATE VIEW metric_ranges AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       datetime(d.until / 1000000000, 'unixepoch') AS until,
       e.metric, e.target, e.low / 1000.0 AS low, e.high / 1000.0 AS high, d.id AS decision
  FROM extremes e JOIN decisions d ON d.id = e.decision JOIN autoscalers a ON a.id = d.autoscaler;

DROP VIEW IF EXISTS changes_by_others;
CREATE VIEW changes_by_others AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(f.time / 1000000000, 'unixepoch') AS noticed, f.before, f.after, f.manager,
       datetime(f.managed / 1000000000, 'unixepoch') AS time
  FROM foreign_changes f JOIN autoscalers a ON a.id = f.autoscaler;

DROP VIEW IF EXISTS edits;
CREATE VIEW edits AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(f.time / 1000000000, 'unixepoch') AS noticed, f.field, f.before, f.after, f.manager,
       datetime(f.managed / 1000000000, 'unixepoch') AS time
  FROM changed_fields f JOIN autoscalers a ON a.id = f.autoscaler;

DROP VIEW IF EXISTS leaders;
CREATE VIEW leaders AS
SELECT leader, own, datetime(since / 1000000000, 'unixepoch') AS since,
       datetime(until / 1000000000, 'unixepoch') AS until
  FROM terms;
)sql";

}  // namespace ballast::store
