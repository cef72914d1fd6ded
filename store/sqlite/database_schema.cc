#include "store/sqlite/database_schema.h"

#include <array>
#include <cstdint>
#include <string>

#include "store/sqlite/migration.h"
#include "store/sqlite/views.h"

namespace ballast::store {
namespace {

constexpr std::int64_t kApplicationId = 0x426c7374;  // "Blst"

// Times and periods are nanoseconds (since 1970, UTC), so that memory is restored exactly.
constexpr char kFirst[] = R"sql(
-- One row per uid, with the state of its memory: what later evaluations need of earlier ones.
CREATE TABLE autoscalers (
  id        INTEGER PRIMARY KEY,
  uid       TEXT NOT NULL UNIQUE,
  kind      TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name      TEXT NOT NULL,
  period    INTEGER NOT NULL DEFAULT 0,  -- how often it is evaluated
  evaluated INTEGER,                     -- the evaluation that left this memory; NULL: no memory
  live      INTEGER NOT NULL DEFAULT 0,  -- 1: evaluated every period since, until the heartbeat
  held      INTEGER                      -- if live: the count recommended by every evaluation since
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

-- A decision, or a run of consecutive evaluations with the same result.
CREATE TABLE decisions (
  id          INTEGER PRIMARY KEY,
  autoscaler  INTEGER NOT NULL REFERENCES autoscalers,
  time        INTEGER NOT NULL,
  until       INTEGER,  -- the last evaluation of the run; NULL: the run is open
  evaluations INTEGER,  -- in the run; NULL: it is open, or a crash ended it
  current     INTEGER NOT NULL,
  desired     INTEGER NOT NULL,
  reason      TEXT NOT NULL,
  message     TEXT NOT NULL,
  fate        TEXT NOT NULL,
  error       TEXT NOT NULL DEFAULT '',
  settled     INTEGER  -- when the fate of a write was recorded
) STRICT;
CREATE INDEX decisions_by_autoscaler ON decisions (autoscaler, time);
CREATE INDEX decisions_unsettled ON decisions (id) WHERE fate IN ('intended', 'unknown');
CREATE INDEX decisions_open ON decisions (id) WHERE until IS NULL;

-- The snapshot that a decision was made from, and its conclusion: JSON, compressed with zstd.
CREATE TABLE snapshots (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;
CREATE TABLE conclusions (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;
)sql";

constexpr char kRecordsOfEverything[] = R"sql(
ALTER TABLE decisions ADD COLUMN generation INTEGER;  -- of the autoscaler's spec
-- How many evaluations of a run had another reason than the first; `tracks` has every reason.
ALTER TABLE decisions ADD COLUMN others INTEGER NOT NULL DEFAULT 0;
CREATE INDEX decisions_written ON decisions (autoscaler, id) WHERE fate = 'written';

-- The range of each metric's values during a run; `position` is that in spec.metrics.
CREATE TABLE extremes (
  decision INTEGER NOT NULL REFERENCES decisions,
  position INTEGER NOT NULL,
  metric   TEXT NOT NULL,     -- "Resource/cpu"
  target   TEXT NOT NULL,     -- the type of target: Utilization, AverageValue, Value
  low      INTEGER NOT NULL,  -- in thousandths (of a percent for Utilization)
  high     INTEGER NOT NULL,
  PRIMARY KEY (decision, position)
) STRICT, WITHOUT ROWID;

-- Series of evaluations with their reasons and metric values, packed (evaluation_series.h).
CREATE TABLE tracks (
  id          INTEGER PRIMARY KEY,
  autoscaler  INTEGER NOT NULL REFERENCES autoscalers,
  time        INTEGER NOT NULL,  -- of the first evaluation
  until       INTEGER NOT NULL,  -- of the last one
  evaluations INTEGER NOT NULL,
  data        BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX tracks_by_autoscaler ON tracks (autoscaler, time);

-- When a scale event went through each step; its evaluation began at decisions.time.
CREATE TABLE timelines (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  sampled  INTEGER,           -- the newest sample that it was made from; NULL: unknown
  seen     INTEGER NOT NULL,  -- all answers had arrived
  decided  INTEGER NOT NULL,
  written  INTEGER,           -- the API server confirmed it
  ready    INTEGER            -- as many pods were ready as it asked for
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

-- Who led when, as far as the writer of this file knows. In a gap between two terms there was no
-- leader, or one that it did not hear of.
CREATE TABLE terms (
  id     INTEGER PRIMARY KEY,
  leader TEXT NOT NULL,
  own    INTEGER NOT NULL,  -- 1: this leader wrote this file
  since  INTEGER NOT NULL,
  until  INTEGER            -- NULL: the term is open; if own is 1, until the heartbeat
) STRICT;
)sql";

// Retention needs the oldest decisions that changed nothing, however many older ones have to stay.
constexpr char kForRetention[] = R"sql(
CREATE INDEX decisions_quiet ON decisions (id) WHERE fate = 'none' AND until IS NOT NULL;
)sql";

constexpr char kEachReason[] = R"sql(
-- In a run whose reasons alternate, the first evaluation for each further reason, with its snapshot
-- and conclusion (evaluation_run.h).
CREATE TABLE turns (
  decision   INTEGER NOT NULL REFERENCES decisions,
  time       INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  message    TEXT NOT NULL,
  snapshot   BLOB NOT NULL,
  conclusion BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX turns_by_decision ON turns (decision, reason);
)sql";

constexpr char kJournal[] = R"sql(
-- What the newest evaluations of all autoscalers saw, packed, one row per commit (journal.h). A row
-- is deleted once `tracks` has all of it.
CREATE TABLE journal (
  id   INTEGER PRIMARY KEY,  -- the number of its last entry
  time INTEGER,              -- of its earliest evaluation; NULL: it has none
  data BLOB NOT NULL
) STRICT;
)sql";

// Queries read the history of one autoscaler, so its rows are stored together, ordered by time.
// Existing rows follow in steps (migration.h). Renaming the table also renames it in the tables
// that refer to it; the last update restores the name, with the column, since `id` is no longer
// the primary key.
constexpr char kClustered[] = R"sql(
DROP VIEW IF EXISTS history;
DROP VIEW IF EXISTS scalings;
DROP VIEW IF EXISTS metric_ranges;
DROP INDEX decisions_by_autoscaler;
DROP INDEX decisions_unsettled;
DROP INDEX decisions_open;
DROP INDEX decisions_written;
DROP INDEX decisions_quiet;
ALTER TABLE decisions RENAME TO unclustered;
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
  fate        TEXT NOT NULL,
  error       TEXT NOT NULL DEFAULT '',
  settled     INTEGER,  -- when the fate of a write was recorded
  generation  INTEGER,  -- of the autoscaler's spec
  -- How many evaluations of a run had another reason than the first; `tracks` has every reason.
  others      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (autoscaler, time, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX decisions_by_id ON decisions (id);
CREATE INDEX decisions_unsettled ON decisions (id) WHERE fate IN ('intended', 'unknown');
CREATE INDEX decisions_open ON decisions (id) WHERE until IS NULL;
CREATE INDEX decisions_written ON decisions (autoscaler, id) WHERE fate = 'written';
CREATE INDEX decisions_quiet ON decisions (id) WHERE fate = 'none' AND until IS NOT NULL;
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'REFERENCES "unclustered"', 'REFERENCES decisions (id)')
 WHERE type = 'table';
PRAGMA writable_schema = RESET;
)sql";

constexpr char kWhoAndWhen[] = R"sql(
-- The version of the engine that decided; 0: not recorded, or the engine was not asked.
ALTER TABLE decisions ADD COLUMN engine INTEGER NOT NULL DEFAULT 0;
-- The fate and error that the conclusion is about, if others were found out later; NULL: the same.
ALTER TABLE decisions ADD COLUMN concluded TEXT;
ALTER TABLE decisions ADD COLUMN concluded_error TEXT;

-- The processes that wrote this file.
CREATE TABLE processes (
  id         INTEGER PRIMARY KEY,
  started    INTEGER NOT NULL,
  found      INTEGER,           -- the heartbeat that it found when it started; NULL: none
  engine     INTEGER NOT NULL,  -- the version of its engine
  namespaces TEXT NOT NULL      -- that it served, separated by commas; empty: all
) STRICT;
CREATE INDEX processes_by_found ON processes (found);

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
)sql";

// Decisions may have the fate `observed`, which earlier versions cannot read.
constexpr char kObservedFate[] = "";

constexpr char kEdits[] = R"sql(
-- Changes of fields of autoscalers, by whomever, and of who scales a target ('controller').
CREATE TABLE changed_fields (
  id         INTEGER PRIMARY KEY,
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  time       INTEGER NOT NULL,  -- when it was noticed
  field      TEXT NOT NULL,     -- 'spec.maxReplicas'
  before     TEXT NOT NULL,     -- JSON, but strings without quotes; empty: the field was absent
  after      TEXT NOT NULL,     -- both empty: not known
  manager    TEXT NOT NULL,     -- according to managedFields; empty: unknown
  managed    INTEGER            -- when it happened, according to them; NULL: unknown
) STRICT;
CREATE INDEX changed_fields_by_autoscaler ON changed_fields (autoscaler, time);
)sql";

constexpr char kSpecs[] = R"sql(
-- What an autoscaler asks for, as last seen: edits are found by comparison with it.
CREATE TABLE specs (
  autoscaler INTEGER PRIMARY KEY REFERENCES autoscalers,
  json       BLOB NOT NULL  -- compressed
) STRICT;
)sql";

constexpr char kFallback[] = R"sql(
-- When a metric last gave a value; NULL: at the last evaluation, or there is no fallback.
ALTER TABLE autoscalers ADD COLUMN no_value_since INTEGER;
)sql";

constexpr char kSuspicion[] = R"sql(
-- Since when a source of its metrics is suspect; NULL: none is.
ALTER TABLE autoscalers ADD COLUMN suspect_since INTEGER;
)sql";

constexpr char kIncomplete[] = R"sql(
-- 1: the memory lacks what happened before, and no evaluation has accounted for that yet.
ALTER TABLE autoscalers ADD COLUMN incomplete INTEGER NOT NULL DEFAULT 0;
)sql";

// Migration i takes a database from user_version i to i + 1. Only append to it. The views are
// created anew after any migration; a change of the views alone needs an empty migration.
constexpr std::array kMigrations = {
    kFirst,     kRecordsOfEverything, kForRetention, kEachReason, kJournal,
    kClustered, kWhoAndWhen,          kObservedFate, kEdits,      kSpecs,
    kFallback,  kSuspicion,           kIncomplete};
constexpr auto kVersion = static_cast<std::int64_t>(kMigrations.size());

// Decisions per commit. Each commit writes the pages that change once more.
constexpr std::int64_t kMovedAtOnce = 200'000;

Status MoveAll(Database& database, const std::stop_token& stop) {
  const SchemaEditing editing(database);
  ASSIGN_OR_RETURN(const auto cache, database.Integer("PRAGMA cache_size"));
  // In KiB: 128 MiB hold the pages that change, for some 10,000 autoscalers. With less, each page
  // would be written many times.
  TRY(database.Execute("PRAGMA cache_size = -131072"));
  for (bool more = true; more;) {
    if (stop.stop_requested()) {
      return Error{Code::kUnavailable, "stopped while the store was being converted"};
    }
    ASSIGN_OR_RETURN(more, MoveDecisions(database, kMovedAtOnce));
  }
  return database.Execute("PRAGMA cache_size = " + std::to_string(cache));
}

}  // namespace

const std::int64_t kSchemaVersion = kVersion;

Result<std::int64_t> SchemaVersion(Database& database) {
  ASSIGN_OR_RETURN(const auto application, database.Integer("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const auto version, database.Integer("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const auto tables, database.Integer("SELECT count(*) FROM sqlite_schema"));
  if (application != kApplicationId) {
    if (application == 0 && version == 0 && tables == 0) {
      return version;
    }
    return Error{Code::kInvalid, "this is another program's database"};
  }
  if (version > kVersion) {
    return Error{Code::kInvalid, "a newer version of Ballast wrote this (schema " +
                                     std::to_string(version) + ", this version knows " +
                                     std::to_string(kVersion) +
                                     "): use that version, or another file"};
  }
  return version;
}

Status MigrateSchema(Database& database) {
  ASSIGN_OR_RETURN(const auto present, database.Integer("PRAGMA user_version"));
  if (present == kVersion) {
    return Done{};
  }
  const SchemaEditing editing(database);
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  for (auto i = static_cast<std::size_t>(present); i < kMigrations.size(); ++i) {
    TRY(database.Execute(kMigrations[i]));
  }
  TRY(database.Execute(kViews));
  TRY(database.Execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                       "; PRAGMA user_version = " + std::to_string(kVersion)));
  return transaction.Commit();
}

Status Migrate(Database& database, const Converting& converting) {
  TRY(MigrateSchema(database));
  ASSIGN_OR_RETURN(const auto left, LeftToMove(database));
  if (!left) {
    return Done{};
  }
  if (*left > 0 && converting.begins) {
    converting.begins(*left);
  }
  return MoveAll(database, converting.stop);
}

}  // namespace ballast::store
