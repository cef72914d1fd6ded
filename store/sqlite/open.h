// Opens the ledger's database: for writing, whatever state its files are in, or for reading.
//
// Thread-safety: one call at a time; for writing the caller holds the FileLock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "api/base/result.h"
#include "store/sqlite/database_schema.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

struct OpenedStore {
  std::unique_ptr<Database> database;
  std::string set_aside;  // where a damaged one was moved to; empty if it was sound or new
};

// A database of this version. A damaged one is set aside and a new one begun; errors are those of
// Ledger::Open.
Result<OpenedStore> OpenStore(const std::string& path, const Converting& converting);

// Sets the files aside, whether they look damaged or not, and begins a new database.
Result<OpenedStore> ReplaceStore(const std::string& path);

struct ReadableStore {
  std::unique_ptr<Database> database;  // none: nothing was ever written to the file
  std::int64_t version = 0;            // of the schema
};

// A connection that cannot change the file: while the operator writes it, or to a copy, also in a
// folder that must not be written. Errors are those of Reader::Open.
Result<ReadableStore> OpenForReading(const std::string& path);

}  // namespace ballast::store
