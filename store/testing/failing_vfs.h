// For tests: a disk that fails. While a FailingVfs exists it is SQLite's default VFS: connections
// that are opened access the real file system through it.
//
// Calls that would wait for the disk (sync) return at once, so that thousands of runs are quick:
// nothing here survives a power cut. It must outlive the connections.
//
// Thread-safety: any thread.
// Errors: none of its own; the calls fail as Fail() says.
#pragma once

#include <cstdint>
#include <memory>

namespace ballast::store::testing {

// How a call fails. kDevice: with SQLITE_IOERR_... or SQLITE_CANTOPEN. kSpace: with SQLITE_FULL, if
// it needs space (a write, or more shared memory). kGarbage: a read succeeds with wrong data; only
// reads count then.
enum class Failing { kDevice, kSpace, kGarbage };

class FailingVfs {
 public:
  FailingVfs();
  ~FailingVfs();
  FailingVfs(const FailingVfs&) = delete;
  FailingVfs& operator=(const FailingVfs&) = delete;

  // Call number `first` (from 1) and the `count` - 1 after it fail. Restarts both counts.
  void Fail(std::int64_t first, std::int64_t count, Failing how);
  // No call fails any more.
  void Heal();

  // Since Fail() or Heal().
  std::int64_t calls() const;
  std::int64_t failed() const;

  struct State;

 private:
  const std::unique_ptr<State> state_;
};

}  // namespace ballast::store::testing
