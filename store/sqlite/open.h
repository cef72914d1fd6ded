// Opens the ledger's database: for writing, whatever state its files are in, or for reading.
//
// Thread-safety: one call at a time; for writing the caller holds the FileLock.
// Errors: for writing: kInvalid (another program's or a newer database), kUnavailable, kFull, and
// kCorrupt if the new one is damaged, too. For reading: those of Reader::Open.
#pragma once

#include <memory>
#include <string>

#include "api/base/result.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

struct OpenedStore {
  std::unique_ptr<Database> database;
  std::string set_aside;  // where a damaged one was moved to; empty: it was sound or new
};

// Opens or creates a database and migrates it. One that is found damaged twice is set aside and
// replaced by a new one.
Result<OpenedStore> OpenStore(const std::string& path);

// Sets the files aside, whether they look damaged or not, and creates a new database.
Result<OpenedStore> ReplaceStore(const std::string& path);

// Opens a connection that cannot change the file: to the one that the operator writes, or to a
// copy, also in a folder without write permission. Null: nothing was ever written to the file.
Result<std::unique_ptr<Database>> OpenForReading(const std::string& path);

}  // namespace ballast::store
