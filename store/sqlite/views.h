// Views for people with the plain sqlite3 shell: TABLE_utc shows the rows of a table with names and
// UTC times instead of numbers. The program itself does not read them. docs/store.md describes
// them.
#pragma once

namespace ballast::store {

// Drops the views of an earlier version and creates them.
inline constexpr char kViews[] = R"sql(
DROP VIEW IF EXISTS decisions_utc;
CREATE VIEW decisions_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       datetime(d.until / 1000000000, 'unixepoch') AS until,
       d.evaluations, d.current, d.desired, d.made_by, d.outcome, d.reason, d.message, d.error,
       d.id AS decision
  FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler;

DROP VIEW IF EXISTS timelines_utc;
CREATE VIEW timelines_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       d.current, d.desired, d.outcome, d.message, d.error,
       (d.time - t.sampled) / 1000000 AS sample_age_ms, (t.seen - d.time) / 1000000 AS answers_ms,
       (t.decided - t.seen) / 1000000 AS decided_ms, (t.written - t.decided) / 1000000 AS written_ms,
       (t.ready - d.time) / 1000000 AS ready_ms, d.id AS decision
  FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler LEFT JOIN timelines t ON t.decision = d.id
 WHERE d.desired <> d.current;

DROP VIEW IF EXISTS ranges_utc;
CREATE VIEW ranges_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       datetime(d.until / 1000000000, 'unixepoch') AS until,
       r.metric, r.target, r.low / 1000.0 AS low, r.high / 1000.0 AS high, d.id AS decision
  FROM ranges r JOIN decisions d ON d.id = r.decision JOIN autoscalers a ON a.id = d.autoscaler;

DROP VIEW IF EXISTS foreign_changes_utc;
CREATE VIEW foreign_changes_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(f.time / 1000000000, 'unixepoch') AS noticed, f.before, f.after, f.manager,
       datetime(f.managed / 1000000000, 'unixepoch') AS time
  FROM foreign_changes f JOIN autoscalers a ON a.id = f.autoscaler;

DROP VIEW IF EXISTS edits_utc;
CREATE VIEW edits_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(e.time / 1000000000, 'unixepoch') AS noticed, e.field, e.before, e.after, e.manager,
       datetime(e.managed / 1000000000, 'unixepoch') AS time
  FROM edits e JOIN autoscalers a ON a.id = e.autoscaler;

DROP VIEW IF EXISTS terms_utc;
CREATE VIEW terms_utc AS
SELECT leader, own, datetime(since / 1000000000, 'unixepoch') AS since,
       datetime(until / 1000000000, 'unixepoch') AS until
  FROM terms;

DROP VIEW IF EXISTS namespaces_utc;
CREATE VIEW namespaces_utc AS
SELECT name, bytes, datetime(since / 1000000000, 'unixepoch') AS since
  FROM namespaces;
)sql";

}  // namespace ballast::store
