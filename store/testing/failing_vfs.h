// For tests: a disk that fails. While a FailingVfs exists it is SQLite's default VFS: connections
// that are opened access the real file system through it.
//
// Calls that would wait for the disk (sync) return at once, so that thousands of runs are quick.
// What a power cut would leave of a folder can be had if it is watched. It must outlive the
// connections.
//
// Thread-safety: any thread.
// Errors: none of its own; the calls fail as Fail() says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

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

  // From now on `judge` says which calls on files in the folder fail, which are not counted; it may
  // wait. A folder has no connection before.
  struct Call {
    bool takes_space = false;
    bool syncs = false;
  };
  using Judge = std::function<std::optional<Failing>(const Call& call)>;
  void Watch(const std::string& folder, Judge judge);

  // Makes the folder `to`, with the files of a watched folder as a process finds them that starts
  // after all others were killed. With `below`, which draws numbers below its argument, the power
  // was cut as well: of what was written since a file's last sync, each write is there, or not, or
  // its first sectors.
  using Below = std::function<std::uint64_t(std::uint64_t)>;
  void Copy(const std::string& folder, const std::string& to, const Below& below = {});

  // Since Fail() or Heal().
  std::int64_t calls() const;
  std::int64_t failed() const;

  struct State;

 private:
  const std::unique_ptr<State> state_;
};

}  // namespace ballast::store::testing
