// For tests: a disk that fails. While one exists, every SQLite connection of the process that is
// opened goes through it, down to the real file system.
//
// Calls that would wait for the disk (sync) return at once, so that thousands of runs are quick:
// nothing here survives a power cut. Thread-safety: all member functions from any thread; it must
// outlive the connections.
#pragma once

#include <cstdint>
#include <memory>

namespace ballast::store::testing {

// What a call that fails says: SQLITE_IOERR_..., or for writes and new files SQLITE_FULL. kGarbage:
// a read says nothing, and yields what is not there; reads alone count then.
enum class Failing { kDevice, kSpace, kGarbage };

class FailingVfs {
 public:
  FailingVfs();
  ~FailingVfs();
  FailingVfs(const FailingVfs&) = delete;
  FailingVfs& operator=(const FailingVfs&) = delete;

  // Call number `first` (from 1) fails, and `count` - 1 after it. Begins to count anew.
  void Fail(std::int64_t first, std::int64_t count, Failing how);
  // All is well again.
  void Heal();

  // Since Fail().
  std::int64_t calls() const;
  std::int64_t failed() const;

  struct State;

 private:
  const std::unique_ptr<State> state_;
};

}  // namespace ballast::store::testing
