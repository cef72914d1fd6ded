// The database's files: the lock that makes one process their only writer, where they may be, and
// how much room there is.
//
// Thread-safety: the functions: any thread, one at a time for the same file. A FileLock: one thread
// at a time.
// Errors: kFull (no space), kUnavailable (any other system call that fails); FileLock::Take also
// kConflict, CheckFileSystem also kInvalid.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "api/base/result.h"

namespace ballast::store {

// Where the operator's database is unless a flag says otherwise.
inline constexpr const char* kDefaultPath = "/var/lib/ballast/ballast.db";

// How long to wait for a lock that another process holds: a process that was killed may take a
// moment to exit.
struct LockWait {
  std::chrono::milliseconds limit{0};  // in total
  // Called once before the wait, with the process that holds the lock.
  std::function<void(const std::string& pid)> waiting;
  // Waits between two attempts; absent: sleeps.
  std::function<void(std::chrono::milliseconds)> pause;
};

// Makes this process the only writer of PATH, by flock(2) on PATH.lock, until it is destroyed or
// the process ends in any way. The lock file stays.
class FileLock {
 public:
  // `stop` ends the wait. kConflict: another process holds the lock (the message has its pid).
  // kFull, kUnavailable: the lock file cannot be created.
  static Result<FileLock> Take(const std::string& path, const LockWait& wait = {},
                               const std::stop_token& stop = {});
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// kInvalid: the folder of PATH is on a network file system, where the shared memory and the locks
// of a WAL work only within one node, if at all. kUnavailable: there is no such folder.
Status CheckFileSystem(const std::string& path);

// How many bytes this process may still write where PATH lies.
Result<std::uintmax_t> FreeRoom(const std::string& path);

// The folder of the file.
std::string FolderOf(const std::string& path);

// The error for `path` and errno: kFull or kUnavailable.
Error SystemError(const std::string& path);

// fsync(2): makes the file, or the names in the folder, survive a power cut.
Status Sync(const std::string& path);

// Whether nothing was ever stored in PATH: there is no such file, it is empty, or its creation was
// interrupted, which leaves one page and the rollback journal that undoes it; only a writer could
// apply that.
bool HoldsNothing(const std::string& path);

}  // namespace ballast::store
