// The database's schema, as numbered migrations: SQLite's user_version says how many were applied.
// docs/store.md describes the tables.
//
// Thread-safety: the Database's.
// Errors: the Database's; SchemaVersion also kInvalid, Migrate also kUnavailable if it was stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "api/base/result.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// The version of the file's schema; 0: it is empty. kInvalid: another program's database, or a
// newer schema. Changes nothing.
Result<std::int64_t> SchemaVersion(Database& database);

// Migrates an empty database, or one of an older version, to kSchemaVersion in one transaction,
// except for the rows that MoveDecisions moves (migration.h).
Status MigrateSchema(Database& database);

struct Converting {
  // Called with the greatest possible number of decisions to convert, if there are any: a million
  // takes some seconds.
  std::function<void(std::int64_t decisions)> begins;
  // Ends the conversion after the step under way, with kUnavailable. The next call continues it.
  std::stop_token stop;
};

// The version of a migrated database.
extern const std::int64_t kSchemaVersion;

// MigrateSchema, and converts those rows.
Status Migrate(Database& database, const Converting& converting);

}  // namespace ballast::store
