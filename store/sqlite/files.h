// The database's files: who may write them, where they may lie, what happens to damaged ones.
//
// Thread-safety: free functions are pure but for the file system; a FileLock belongs to one thread.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "api/base/result.h"

namespace ballast::store {

// Where the operator's database is unless a flag says otherwise.
inline constexpr const char* kDefaultPath = "/var/lib/ballast/ballast.db";

// How long to wait for a lock that another process holds: one that was killed may take a moment to
// be gone.
struct LockWait {
  std::chrono::milliseconds limit{0};  // in all
  // Told once, before the waiting, which process it is.
  std::function<void(const std::string& pid)> waiting;
  // Between two attempts; absent: sleeps.
  std::function<void(std::chrono::milliseconds)> pause;
};

// Makes this process the only writer of PATH, by flock on PATH.lock; until destroyed, or the
// process ends in whatever way. The lock file stays.
class FileLock {
 public:
  // Waits no longer once `stop` is requested. kConflict: another process holds it (named by its
  // pid). kFull, kUnavailable: the lock file cannot be created.
  static Result<FileLock> Take(const std::string& path, const LockWait& wait = {},
                               const std::stop_token& stop = {});
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// kInvalid when the folder of PATH lies on a network file system: a WAL needs shared memory and
// locks that work there only within one node, if at all. kUnavailable when there is no such folder.
Status CheckFileSystem(const std::string& path);

// What errno says about `path`: kFull or kUnavailable.
Error SystemError(const std::string& path);

// Has the file, or the names in the folder, survive a power cut.
Status Sync(const std::string& path);

// Whether nothing has ever been stored in PATH: no such file, an empty one, or what a kill at birth
// leaves: one page and the journal that would take it back, which only a writer could do.
bool HoldsNothing(const std::string& path);

// Renames PATH, PATH-wal and PATH-shm, as many as there are, to PATH.corrupt-<UTC time>...; returns
// the new name of PATH. All move together: a -wal beside another database would damage that one.
// Of all that were set aside the newest two stay.
Result<std::string> SetAside(const std::string& path);

}  // namespace ballast::store
