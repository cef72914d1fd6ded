// The migration that counts what each namespace's history takes, and how far back it reaches:
// retention goes by the first (shrinking.h), and people are told the second (reach.h).
//
// Triggers count, because rows come and go in many places, and one that is not counted would never
// be found. Only a comparison of namespaces depends on the count, so it is about: bytes of what
// varies, and a flat figure for the rest of a row, its index entries and small rows that refer to
// it.
#pragma once

namespace ballast::store {

#define BALLAST_BYTES(TEXT) "length(CAST(" TEXT " AS BLOB))"

// What a row of each table takes.
#define BALLAST_DECISION_BYTES(ROW) \
  "256 + " BALLAST_BYTES(ROW ".message") " + " BALLAST_BYTES(ROW ".error")
#define BALLAST_SNAPSHOT_BYTES(ROW) "16 + length(" ROW ".json)"
#define BALLAST_CONCLUSION_BYTES(ROW) "16 + length(" ROW ".json)"
#define BALLAST_REASON_BYTES(ROW) \
  "64 + length(" ROW ".snapshot) + length(" ROW ".conclusion) + " BALLAST_BYTES(ROW ".message")
#define BALLAST_SERIES_BYTES(ROW) "64 + length(" ROW ".data)"
#define BALLAST_FOREIGN_CHANGE_BYTES(ROW) "80 + " BALLAST_BYTES(ROW ".manager")
#define BALLAST_EDIT_BYTES(ROW)                                                               \
  "80 + " BALLAST_BYTES(ROW ".field") " + " BALLAST_BYTES(ROW ".before") " + " BALLAST_BYTES( \
      ROW ".after") " + " BALLAST_BYTES(ROW ".manager")
#define BALLAST_DELAY_BYTES(ROW) "80 + " BALLAST_BYTES(ROW ".slowest")

// The namespace of a row that has an autoscaler, or a decision.
#define BALLAST_OF_AUTOSCALER(ROW) \
  "(SELECT namespace FROM autoscalers WHERE id = " ROW ".autoscaler)"
#define BALLAST_OF_DECISION(ROW)                                                   \
  "(SELECT a.namespace FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler" \
  " WHERE d.id = " ROW ".decision)"

// Counts the rows of a table as they come and go.
#define BALLAST_COUNT(TABLE, OF, BYTES) \
  "CREATE TRIGGER " TABLE "_added AFTER INSERT ON " TABLE                           \
  " BEGIN UPDATE namespaces SET bytes = bytes + " BYTES("NEW") " WHERE name = " OF( \
      "NEW") "; END;\n"                                                             \
  "CREATE TRIGGER " TABLE "_deleted AFTER DELETE ON " TABLE                         \
  " BEGIN UPDATE namespaces SET bytes = bytes - (" BYTES("OLD") ") WHERE name = " OF("OLD") "; END;\n"
// The same as they change; `CHANGING`: the columns that do, and vary in size.
#define BALLAST_COUNT_CHANGES(TABLE, CHANGING, OF, BYTES) \
  "CREATE TRIGGER " TABLE "_changed AFTER UPDATE OF " CHANGING " ON " TABLE                  \
  " WHEN " BYTES("NEW") " <> " BYTES("OLD")                                                  \
  " BEGIN UPDATE namespaces SET bytes = bytes + " BYTES("NEW") " - (" BYTES("OLD") ") WHERE" \
  " name = " OF("NEW") "; END;\n"

inline constexpr char kNamespaces[] =
    R"sql(
-- One row per namespace of autoscalers that are or were here.
CREATE TABLE namespaces (
  name  TEXT NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL DEFAULT 0,  -- what its history takes, about
  -- Of what ended before, something was deleted: the rest is complete from then on. NULL: nothing.
  since INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX namespaces_by_bytes ON namespaces (bytes);
CREATE INDEX namespaces_by_since ON namespaces (since);

-- Retention needs an autoscaler's oldest decisions that changed nothing, however many older ones
-- have to stay.
DROP INDEX decisions_quiet;
CREATE INDEX decisions_quiet ON decisions (autoscaler, time)
 WHERE outcome = 'none' AND until IS NOT NULL;

-- What there was before: retention had deleted the oldest of all namespaces.
INSERT INTO namespaces (name, bytes, since)
SELECT a.namespace, sum(coalesce(h.bytes, 0)),
       iif((SELECT min(id) FROM series) > 1 OR (SELECT min(id) FROM decisions) > 1,
           coalesce((SELECT time FROM series ORDER BY id LIMIT 1),
                    (SELECT evaluated FROM heartbeat WHERE id = 1)), NULL)
  FROM autoscalers a LEFT JOIN (
       SELECT autoscaler, sum(bytes) AS bytes FROM ()sql"
    "SELECT d.autoscaler, " BALLAST_DECISION_BYTES("d") " AS bytes FROM decisions d"
    " UNION ALL SELECT d.autoscaler, " BALLAST_SNAPSHOT_BYTES("s")
    " FROM snapshots s JOIN decisions d ON d.id = s.decision"
    " UNION ALL SELECT d.autoscaler, " BALLAST_CONCLUSION_BYTES("c")
    " FROM conclusions c JOIN decisions d ON d.id = c.decision"
    " UNION ALL SELECT d.autoscaler, " BALLAST_REASON_BYTES("r")
    " FROM reasons r JOIN decisions d ON d.id = r.decision"
    " UNION ALL SELECT s.autoscaler, " BALLAST_SERIES_BYTES("s") " FROM series s"
    " UNION ALL SELECT f.autoscaler, " BALLAST_FOREIGN_CHANGE_BYTES("f") " FROM foreign_changes f"
    " UNION ALL SELECT e.autoscaler, " BALLAST_EDIT_BYTES("e") " FROM edits e"
    " UNION ALL SELECT y.autoscaler, " BALLAST_DELAY_BYTES("y") " FROM delays y"
    ") GROUP BY autoscaler) h ON h.autoscaler = a.id GROUP BY a.namespace;\n"
    "CREATE TRIGGER autoscalers_added AFTER INSERT ON autoscalers"
    " BEGIN INSERT OR IGNORE INTO namespaces (name) VALUES (NEW.namespace); END;\n"
    BALLAST_COUNT("decisions", BALLAST_OF_AUTOSCALER, BALLAST_DECISION_BYTES)
    BALLAST_COUNT_CHANGES("decisions", "error", BALLAST_OF_AUTOSCALER, BALLAST_DECISION_BYTES)
    BALLAST_COUNT("snapshots", BALLAST_OF_DECISION, BALLAST_SNAPSHOT_BYTES)
    BALLAST_COUNT("conclusions", BALLAST_OF_DECISION, BALLAST_CONCLUSION_BYTES)
    BALLAST_COUNT_CHANGES("conclusions", "json", BALLAST_OF_DECISION, BALLAST_CONCLUSION_BYTES)
    BALLAST_COUNT("reasons", BALLAST_OF_DECISION, BALLAST_REASON_BYTES)
    BALLAST_COUNT("series", BALLAST_OF_AUTOSCALER, BALLAST_SERIES_BYTES)
    BALLAST_COUNT_CHANGES("series", "data", BALLAST_OF_AUTOSCALER, BALLAST_SERIES_BYTES)
    BALLAST_COUNT("foreign_changes", BALLAST_OF_AUTOSCALER, BALLAST_FOREIGN_CHANGE_BYTES)
    BALLAST_COUNT("edits", BALLAST_OF_AUTOSCALER, BALLAST_EDIT_BYTES)
    BALLAST_COUNT("delays", BALLAST_OF_AUTOSCALER, BALLAST_DELAY_BYTES);

#undef BALLAST_BYTES
#undef BALLAST_DECISION_BYTES
#undef BALLAST_SNAPSHOT_BYTES
#undef BALLAST_CONCLUSION_BYTES
#undef BALLAST_REASON_BYTES
#undef BALLAST_SERIES_BYTES
#undef BALLAST_FOREIGN_CHANGE_BYTES
#undef BALLAST_EDIT_BYTES
#undef BALLAST_DELAY_BYTES
#undef BALLAST_OF_AUTOSCALER
#undef BALLAST_OF_DECISION
#undef BALLAST_COUNT
#undef BALLAST_COUNT_CHANGES

}  // namespace ballast::store
