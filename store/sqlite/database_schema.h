// The database's schema, as numbered migrations: SQLite's user_version says how many were applied.
// docs/store.md describes the tables.
//
// Thread-safety: the Database's.
// Errors: the Database's; SchemaVersion also kInvalid.
#pragma once

#include <cstdint>
#include <span>

#include "api/base/result.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Migration i takes a database from user_version i to i + 1. The views are created anew after any
// migration; a change of the views alone needs an empty one.
using Migrations = std::span<const char* const>;

// Those of this program. After a release they only grow.
extern const Migrations kMigrations;

// The version of a migrated database.
extern const std::int64_t kSchemaVersion;

// The version of the file's schema; 0: it is empty. kInvalid: another program's database, or a
// newer schema. Changes nothing.
Result<std::int64_t> SchemaVersion(Database& database);

// Migrates an empty database, or one of an older version, in one transaction.
Status Migrate(Database& database, Migrations migrations = kMigrations);

}  // namespace ballast::store
