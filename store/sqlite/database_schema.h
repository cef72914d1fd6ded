// The database's schema and how it came to be: numbered migrations, the number being user_version.
//
// docs/store.md describes the tables. Thread-safety: as the Database's.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "api/base/result.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// The schema's version if this program may read and write the file: 0 for an empty one. kInvalid
// for another program's database and for a newer schema. Changes nothing. Otherwise as any read
// (kCorrupt, kUnavailable).
Result<std::int64_t> SchemaVersion(Database& database);

// Brings an empty database, or one of an older version, to this version, in one transaction: all
// but the rows that are to be converted (conversion.h).
Status MigrateSchema(Database& database);

struct Converting {
  // Told how many decisions, at most, are going to be converted: some seconds for a million.
  std::function<void(std::int64_t decisions)> begins;
  // Requested: ends soon, with kUnavailable. The next one goes on.
  std::stop_token stop;
};

// What Migrate brings a database to.
extern const std::int64_t kSchemaVersion;

// The same, and converts those.
Status Migrate(Database& database, const Converting& converting);

}  // namespace ballast::store
