// A back end in one SQLite file (docs/store.md has its format). It has the only connection that
// writes to the file.
//
// A file is set aside only if it is found damaged twice in a row: a page that cannot be read once
// is no damage.
//
// Thread-safety: the Backend's.
// Errors: the Backend's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "store/backend.h"
#include "store/records.h"
#include "store/sqlite/files.h"
#include "store/sqlite/restore.h"

namespace ballast::store {

struct SqliteOptions {
  // The process that opens it, for the history; absent: it is not recorded.
  std::optional<Process> process;
  // How long the first Open waits for another process that has the file open.
  LockWait lock_wait;
  // A copy waited (restore.h), and was put in the place of the store or, after an error, was not.
  std::function<void(const Result<Restored>&)> restored;
  // How many bytes may still be written where the file lies.
  std::function<Result<std::uintmax_t>(const std::string& path)> room = FreeRoom;
};

std::unique_ptr<Backend> MakeSqliteBackend(const std::string& path, const SqliteOptions& options);

}  // namespace ballast::store
