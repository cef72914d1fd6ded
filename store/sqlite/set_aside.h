// Moves a database out of the way of another one, and keeps the newest of what was moved.
//
// Thread-safety: any thread, one at a time for the same file.
// Errors: kFull (no space), kUnavailable (any other system call that fails).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/base/result.h"

namespace ballast::store {

// Renames those of PATH, PATH-wal, PATH-journal and PATH-shm that exist to PATH.<why>-<UTC time>...
// and returns the new name of PATH; empty: there are none. Each is moved also where the others are
// missing, since a -wal or a -journal beside another database would damage it. Killed meanwhile, it
// leaves no database in PATH; call it again before one is put there.
// Of what was set aside so for that reason, the newest two sets are kept and the others removed.
// `why`: "corrupt", "replaced".
Result<std::string> SetAside(const std::string& path, const std::string& why);

// A database that was set aside.
struct Aside {
  std::string path;
  std::uintmax_t bytes = 0;  // of all its files
};

// What of PATH was set aside for that reason, oldest first.
std::vector<Aside> ListSetAside(const std::string& path, const std::string& why);

// Removes the files of one.
void RemoveSetAside(const std::string& aside);

// Whether SetAside gives such names.
bool IsSetAside(const std::string& path);

}  // namespace ballast::store
