#include "store/sqlite/database_schema.h"

#include <array>
#include <cstdint>
#include <string>

#include "store/sqlite/views.h"

namespace ballast::store {
namespace {

constexpr std::int64_t kApplicationId = 0x42616c74;  // "Balt"

// Each namespace knows what its history takes, because retention goes by that (shrinking.h).
// Triggers count it: rows come and go in many places, and one that is not counted would never be
// found. Only a comparison of namespaces depends on the count, so it is about: bytes of what
// varies, and a flat figure for the rest of a row, its index entries and small rows that refer to
// it.
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

// Times and periods are nanoseconds (since 1970, UTC), so that memory is restored exactly.
constexpr char kFirst[] =
    R"sql(
-- One row per uid, with the state of its memory: what later evaluations need of earlier ones.
CREATE TABLE autoscalers (
  id             INTEGER PRIMARY KEY,
  uid            TEXT NOT NULL UNIQUE,
  kind           TEXT NOT NULL,
  namespace      TEXT NOT NULL,
  name           TEXT NOT NULL,
  period         INTEGER NOT NULL DEFAULT 0,  -- how often it is evaluated
  evaluated      INTEGER,  -- the evaluation that left this memory; NULL: no memory
  live           INTEGER NOT NULL DEFAULT 0,  -- 1: evaluated every period since, until the heartbeat
  held           INTEGER,  -- if live: the count recommended by every evaluation since
  -- When a metric last gave a value; NULL: at the last evaluation, or there is no fallback.
  no_value_since INTEGER,
  suspect_since  INTEGER,  -- since when a source of its metrics is suspect; NULL: none is
  target         TEXT NOT NULL DEFAULT '',  -- the uid of the target that the memory is of; empty: not known
  -- 1: the memory lacks what happened before, and no evaluation has accounted for that yet.
  incomplete     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX autoscalers_by_name ON autoscalers (namespace, name);

-- When each replica count was last recommended: stabilization depends on nothing else.
CREATE TABLE recommendations (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  replicas   INTEGER NOT NULL,
  time       INTEGER NOT NULL,
  PRIMARY KEY (autoscaler, replicas)
) STRICT, WITHOUT ROWID;

CREATE TABLE scale_events (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  slot       INTEGER NOT NULL,  -- the order in which the engine keeps them
  time       INTEGER NOT NULL,
  change     INTEGER NOT NULL,  -- replicas added; negative: removed
  PRIMARY KEY (autoscaler, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE used_samples (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  metric     TEXT NOT NULL,
  time       INTEGER NOT NULL,
  PRIMARY KEY (autoscaler, metric)
) STRICT, WITHOUT ROWID;

-- The time of the fleet's newest evaluation. What is live or open lasts until then.
CREATE TABLE heartbeat (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  evaluated INTEGER NOT NULL
) STRICT;
INSERT INTO heartbeat VALUES (1, 0);

-- A decision, or a run of consecutive evaluations with the same result. Queries read the history of
-- one autoscaler, so its rows are stored together, ordered by time.
CREATE TABLE decisions (
  id          INTEGER NOT NULL,  -- grows with time
  autoscaler  INTEGER NOT NULL REFERENCES autoscalers,
  time        INTEGER NOT NULL,
  until       INTEGER,  -- the last evaluation of the run; NULL: the run is open
  evaluations INTEGER,  -- in the run; NULL: it is open, or a crash ended it
  current     INTEGER NOT NULL,
  desired     INTEGER NOT NULL,
  reason      TEXT NOT NULL,
  message     TEXT NOT NULL,
  outcome     TEXT NOT NULL,
  error       TEXT NOT NULL DEFAULT '',
  settled     INTEGER,  -- when the outcome of a write was recorded
  generation  INTEGER,  -- of the autoscaler's spec; of an HPA a hash of it (stable_hash.h)
  -- How many evaluations of a run had another reason than the first; `series` has every reason.
  others      INTEGER NOT NULL DEFAULT 0,
  made_by     TEXT NOT NULL,  -- the record: evaluated, refused, observed or attempted
  engine      INTEGER NOT NULL,  -- the version of the engine of the process that recorded it
  -- The outcome and error that the conclusion is about, if others were found out later; NULL: the same.
  concluded       TEXT,
  concluded_error TEXT,
  PRIMARY KEY (autoscaler, time, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX decisions_by_id ON decisions (id);
CREATE INDEX decisions_unsettled ON decisions (id) WHERE outcome IN ('intended', 'unknown');
CREATE INDEX decisions_open ON decisions (id) WHERE until IS NULL;
CREATE INDEX decisions_written ON decisions (autoscaler, id) WHERE outcome = 'written';
-- Retention needs an autoscaler's oldest decisions that changed nothing, however many older ones
-- have to stay.
CREATE INDEX decisions_quiet ON decisions (autoscaler, time)
 WHERE outcome = 'none' AND until IS NOT NULL;

-- The snapshot that a decision was made from, and its conclusion: JSON, compressed (compress.h).
CREATE TABLE snapshots (
  decision INTEGER PRIMARY KEY REFERENCES decisions (id),
  json     BLOB NOT NULL
) STRICT;
CREATE TABLE conclusions (
  decision INTEGER PRIMARY KEY REFERENCES decisions (id),
  json     BLOB NOT NULL
) STRICT;

-- In a run whose reasons alternate, the first evaluation for each further reason, with its snapshot
-- and conclusion (evaluation_run.h).
CREATE TABLE reasons (
  decision   INTEGER NOT NULL REFERENCES decisions (id),
  time       INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  message    TEXT NOT NULL,
  snapshot   BLOB NOT NULL,
  conclusion BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX reasons_by_decision ON reasons (decision, reason);

-- The range of each metric's values during a run; `position` is that in spec.metrics.
CREATE TABLE ranges (
  decision INTEGER NOT NULL REFERENCES decisions (id),
  position INTEGER NOT NULL,
  metric   TEXT NOT NULL,     -- "Resource/cpu"
  target   TEXT NOT NULL,     -- the type of target: Utilization, AverageValue, Value
  low      INTEGER NOT NULL,  -- in thousandths (of a percent for Utilization)
  high     INTEGER NOT NULL,
  PRIMARY KEY (decision, position)
) STRICT, WITHOUT ROWID;

-- When a scale event went through each step; its evaluation began at decisions.time.
CREATE TABLE timelines (
  decision INTEGER PRIMARY KEY REFERENCES decisions (id),
  sampled  INTEGER,           -- the newest sample that it was made from; NULL: unknown
  seen     INTEGER NOT NULL,  -- all answers had arrived
  decided  INTEGER NOT NULL,
  written  INTEGER,           -- the API server confirmed it
  ready    INTEGER            -- as many pods were ready as it asked for
) STRICT;

-- Series of evaluations with their reasons and metric values, packed (evaluation_series.h).
CREATE TABLE series (
  id          INTEGER PRIMARY KEY,
  autoscaler  INTEGER NOT NULL REFERENCES autoscalers,
  time        INTEGER NOT NULL,  -- of the first evaluation
  until       INTEGER NOT NULL,  -- of the last one
  evaluations INTEGER NOT NULL,
  data        BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX series_by_autoscaler ON series (autoscaler, time);

-- What the newest evaluations of all autoscalers saw, packed, one row per commit (journal.h). A row
-- is deleted once `series` has all of it.
CREATE TABLE journal (
  id   INTEGER PRIMARY KEY,  -- the number of its last entry
  time INTEGER,              -- of its earliest evaluation; NULL: it has none
  data BLOB NOT NULL
) STRICT;

-- Changes of replicas by other clients.
CREATE TABLE foreign_changes (
  id         INTEGER PRIMARY KEY,
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  time       INTEGER NOT NULL,  -- when it was noticed
  before     INTEGER NOT NULL,  -- replicas
  after      INTEGER NOT NULL,
  manager    TEXT NOT NULL,     -- according to the scale's managedFields; empty: unknown
  managed    INTEGER            -- when it happened, according to them; NULL: unknown
) STRICT;
CREATE INDEX foreign_changes_by_autoscaler ON foreign_changes (autoscaler, time);

-- Changes of fields of autoscalers, by whomever, and of who scales a target ('controller').
CREATE TABLE edits (
  id         INTEGER PRIMARY KEY,
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  time       INTEGER NOT NULL,  -- when it was noticed
  field      TEXT NOT NULL,     -- 'spec.maxReplicas'
  before     TEXT NOT NULL,     -- JSON, but strings without quotes; empty: the field was absent
  after      TEXT NOT NULL,     -- both empty: not known
  manager    TEXT NOT NULL,     -- according to managedFields; empty: unknown
  managed    INTEGER            -- when it happened, according to them; NULL: unknown
) STRICT;
CREATE INDEX edits_by_autoscaler ON edits (autoscaler, time);

-- What an autoscaler asks for, as last seen: edits are found by comparison with it.
CREATE TABLE specs (
  autoscaler INTEGER PRIMARY KEY REFERENCES autoscalers,
  json       BLOB NOT NULL  -- compressed
) STRICT;

-- Evaluations more than two periods after the previous one, while the process ran and led.
CREATE TABLE delays (
  id         INTEGER PRIMARY KEY,
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  since      INTEGER NOT NULL,  -- the previous evaluation
  time       INTEGER NOT NULL,
  took       INTEGER NOT NULL,  -- until all answers of the previous one had arrived
  slowest    TEXT NOT NULL      -- the previous one's metric whose answer took longest; empty: none
) STRICT;
CREATE INDEX delays_by_autoscaler ON delays (autoscaler, time);

-- Who led when, as far as the writer of this file knows. In a gap between two terms there was no
-- leader, or one that it did not hear of.
CREATE TABLE terms (
  id     INTEGER PRIMARY KEY,
  leader TEXT NOT NULL,
  own    INTEGER NOT NULL,  -- 1: this leader wrote this file
  since  INTEGER NOT NULL,
  until  INTEGER            -- NULL: the term is open; if own is 1, until the heartbeat
) STRICT;

-- The processes that wrote this file.
CREATE TABLE processes (
  id         INTEGER PRIMARY KEY,
  started    INTEGER NOT NULL,
  found      INTEGER,           -- the heartbeat that it found when it started; NULL: none
  engine     INTEGER NOT NULL,  -- the version of its engine
  namespaces TEXT NOT NULL      -- that it served, separated by commas; empty: all
) STRICT;
CREATE INDEX processes_by_found ON processes (found);

-- One row per namespace of autoscalers that are or were here.
CREATE TABLE namespaces (
  name  TEXT NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL DEFAULT 0,  -- what its history takes, about
  -- Of what ended before, something was deleted: the rest is complete from then on. NULL: nothing.
  since INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX namespaces_by_bytes ON namespaces (bytes);
CREATE INDEX namespaces_by_since ON namespaces (since);
CREATE TRIGGER autoscalers_added AFTER INSERT ON autoscalers
 BEGIN INSERT OR IGNORE INTO namespaces (name) VALUES (NEW.namespace); END;
)sql"                                                                                            //
    BALLAST_COUNT("decisions", BALLAST_OF_AUTOSCALER, BALLAST_DECISION_BYTES)                    //
    BALLAST_COUNT_CHANGES("decisions", "error", BALLAST_OF_AUTOSCALER, BALLAST_DECISION_BYTES)   //
    BALLAST_COUNT("snapshots", BALLAST_OF_DECISION, BALLAST_SNAPSHOT_BYTES)                      //
    BALLAST_COUNT("conclusions", BALLAST_OF_DECISION, BALLAST_CONCLUSION_BYTES)                  //
    BALLAST_COUNT_CHANGES("conclusions", "json", BALLAST_OF_DECISION, BALLAST_CONCLUSION_BYTES)  //
    BALLAST_COUNT("reasons", BALLAST_OF_DECISION, BALLAST_REASON_BYTES)                          //
    BALLAST_COUNT("series", BALLAST_OF_AUTOSCALER, BALLAST_SERIES_BYTES)                         //
    BALLAST_COUNT_CHANGES("series", "data", BALLAST_OF_AUTOSCALER, BALLAST_SERIES_BYTES)         //
    BALLAST_COUNT("foreign_changes", BALLAST_OF_AUTOSCALER, BALLAST_FOREIGN_CHANGE_BYTES)        //
    BALLAST_COUNT("edits", BALLAST_OF_AUTOSCALER, BALLAST_EDIT_BYTES)                            //
    BALLAST_COUNT("delays", BALLAST_OF_AUTOSCALER, BALLAST_DELAY_BYTES);

constexpr std::array kAll = {kFirst};

}  // namespace

const Migrations kMigrations = kAll;
const std::int64_t kSchemaVersion = std::ssize(kAll);

Result<std::int64_t> SchemaVersion(Database& database) {
  ASSIGN_OR_RETURN(const auto application, database.Integer("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const auto version, database.Integer("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const auto tables, database.Integer("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && tables == 0) {
    return version;
  }
  if (application != kApplicationId) {
    return Error{Code::kInvalid,
                 "another program's database, or of a version of Ballast before the first release:"
                 " use another file, or move this one away"};
  }
  if (version > kSchemaVersion) {
    return Error{Code::kInvalid, "a newer version of Ballast wrote this (schema " +
                                     std::to_string(version) + ", this version knows " +
                                     std::to_string(kSchemaVersion) +
                                     "): use that version, or another file"};
  }
  return version;
}

Status Migrate(Database& database, Migrations migrations) {
  ASSIGN_OR_RETURN(const auto present, database.Integer("PRAGMA user_version"));
  if (present >= std::ssize(migrations)) {
    return Done{};
  }
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  for (const char* migration : migrations.subspan(static_cast<std::size_t>(present))) {
    TRY(database.Execute(migration));
  }
  TRY(database.Execute(kViews));
  TRY(database.Execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                       "; PRAGMA user_version = " + std::to_string(migrations.size())));
  return transaction.Commit();
}

}  // namespace ballast::store
