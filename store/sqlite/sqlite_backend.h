// A back end in one SQLite file (docs/store.md has its format).
//
// Of all connections to the file this has the only one that writes. What seems damaged is looked at
// once more (a page that could not be read for once is no damage) before it is set aside.
//
// Thread-safety and failure modes: the Backend's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "store/backend.h"
#include "store/records.h"
#include "store/sqlite/files.h"

namespace ballast::store {

struct SqliteOptions {
  // Who opens it; absent: somebody who is no part of the history.
  std::optional<Process> process;
  // How long the first Open waits for another process that has the file open.
  LockWait lock_wait;
  // Called before a file of an earlier version is converted, with its decisions, at most.
  std::function<void(std::int64_t decisions)> converting;
};

std::unique_ptr<Backend> MakeSqliteBackend(const std::string& path, const SqliteOptions& options);

}  // namespace ballast::store
