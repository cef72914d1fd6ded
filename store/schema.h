// The database's schema and how it came to be: numbered migrations, the number being user_version.
//
// docs/store.md describes the tables. Thread-safety: as the Database's.
#pragma once

#include "api/result.h"
#include "store/sqlite.h"

namespace ballast::store {

// Whether this program may read and write the file: Done for a ledger of at most this version and
// for an empty file. kInvalid for another program's database and for a newer schema. Changes
// nothing. Otherwise as any read (kCorrupt, kUnavailable).
Status CheckIdentity(Database& database);

// Brings an empty database, or one of an older version, to this version; in one transaction.
Status Migrate(Database& database);

}  // namespace ballast::store
