#include "store/schema.h"

#include <array>
#include <cstdint>
#include <string>

namespace ballast::store {
namespace {

constexpr std::int64_t kApplicationId = 0x426c7374;  // "Blst"

// Times and periods are nanoseconds (since 1970, UTC): memory must come back exactly as it was.
constexpr char kFirst[] = R"sql(
-- One row per uid; its memory too: what later evaluations need of the earlier ones.
CREATE TABLE autoscalers (
  id        INTEGER PRIMARY KEY,
  uid       TEXT NOT NULL UNIQUE,
  kind      TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name      TEXT NOT NULL,
  period    INTEGER NOT NULL DEFAULT 0,  -- how often it is evaluated
  evaluated INTEGER,                     -- the evaluation that this memory is from; NULL: no memory
  live      INTEGER NOT NULL DEFAULT 0,  -- 1: evaluated every period since; the heartbeat says until when
  held      INTEGER                      -- live: the recommendation that each evaluation since has repeated
) STRICT;
CREATE INDEX autoscalers_by_name ON autoscalers (namespace, name);

-- For each replica count the latest time that it was recommended: all that stabilization can see.
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
  change     INTEGER NOT NULL,  -- negative: scaled down
  PRIMARY KEY (autoscaler, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE used_samples (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  metric     TEXT NOT NULL,
  time       INTEGER NOT NULL,
  PRIMARY KEY (autoscaler, metric)
) STRICT, WITHOUT ROWID;

-- The newest evaluation of the whole fleet.
CREATE TABLE heartbeat (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  evaluated INTEGER NOT NULL
) STRICT;
INSERT INTO heartbeat VALUES (1, 0);

-- A decision, or a run of evaluations that all came to the same.
CREATE TABLE decisions (
  id          INTEGER PRIMARY KEY,
  autoscaler  INTEGER NOT NULL REFERENCES autoscalers,
  time        INTEGER NOT NULL,
  until       INTEGER,  -- the run's last evaluation; NULL: it goes on
  evaluations INTEGER,  -- in the run; NULL: it goes on, or a crash ended it
  current     INTEGER NOT NULL,
  desired     INTEGER NOT NULL,
  reason      TEXT NOT NULL,
  message     TEXT NOT NULL,
  fate        TEXT NOT NULL,
  error       TEXT NOT NULL DEFAULT '',
  settled     INTEGER  -- when the fate of an attempt was recorded
) STRICT;
CREATE INDEX decisions_by_autoscaler ON decisions (autoscaler, time);
CREATE INDEX decisions_unsettled ON decisions (id) WHERE fate IN ('intended', 'unknown');
CREATE INDEX decisions_open ON decisions (id) WHERE until IS NULL;

-- What a decision was made from, and what it was: JSON, compressed with zstd.
CREATE TABLE snapshots (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;
CREATE TABLE conclusions (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;
)sql";

// Migration i brings a database from user_version i to i + 1. Append only.
constexpr std::array kMigrations = {kFirst};
constexpr auto kVersion = static_cast<std::int64_t>(kMigrations.size());

}  // namespace

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

Status Migrate(Database& database) {
  ASSIGN_OR_RETURN(const auto present, database.Integer("PRAGMA user_version"));
  if (present == kVersion) {
    return Done{};
  }
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  for (auto i = static_cast<std::size_t>(present); i < kMigrations.size(); ++i) {
    TRY(database.Execute(kMigrations[i]));
  }
  TRY(database.Execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                       "; PRAGMA user_version = " + std::to_string(kVersion)));
  return transaction.Commit();
}

}  // namespace ballast::store
