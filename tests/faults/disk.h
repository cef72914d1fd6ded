// A replica's disk: what a process has written to it survives the process.
//
//   Disk disk(world, 0);
//   auto ledger = store::MakeLedger(disk.Open(process), options);
//
// The platter is the ledger's back end in memory (store/in_memory/in_memory_backend.h), with what
// it needs beyond that to settle intents after a crash. Commits take time, and may fail; a failing
// disk fails whoever uses it. A commit that is under way when its process dies is made at that
// moment, or never.
//
// With Fault::kSqlite a process uses the program's SQLite back end on a file instead
// (ledger_file.h), and the platter is what must be in it.
//
// Thread-safety: one thread, many fibers.
// Errors: the Backend's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/backend.h"
#include "store/in_memory/in_memory_backend.h"
#include "tests/faults/fibers.h"
#include "tests/faults/ledger_file.h"

namespace ballast::faults {

class World;
class Process;

class Disk {
 public:
  Disk(World& world, int number);

  int number() const { return number_; }

  // `process` must outlive the back end.
  std::unique_ptr<store::Backend> Open(Process& process);
  // Whoever uses it until then is refused.
  void FailUntil(Nanoseconds until);
  // The process that uses it is dead from now on.
  void Cut();
  // The next Cut() is one of power.
  void LosePower() { loses_power_ = true; }
  // Calls `act` when a process waits until what it has written to the file is on the disk.
  void AtNextSync(std::function<void()> act) { at_next_sync_ = std::move(act); }

 private:
  class Connection;

  Result<store::Backend::Applied> Commit(const store::Batch& batch);
  void Keep(const store::Change& change);
  // How many changes a file may leave out, since the ledger has given up the decisions that they
  // belong to.
  std::int64_t CountOrphans(const store::Batch& batch) const;
  void AddSnapshots(store::StoredState& state) const;
  // Finds out which of the attempts is in the file.
  void Compare(const Result<store::StoredState>& found);

  World& world_;
  const int number_;
  store::InMemoryBackend platter_;
  Nanoseconds fails_until_ = 0;
  const store::Batch* under_way_ = nullptr;           // being committed
  std::map<store::DecisionId, std::string> intents_;  // packed snapshots of unsettled ones
  std::set<store::DecisionId> decisions_;             // that were committed

  std::unique_ptr<LedgerFile> file_;  // null: there is none
  bool is_full_ = false;              // while it fails: it has no space
  bool loses_power_ = false;
  std::function<void()> at_next_sync_;
  // What has been tried to commit since the last success: SQLite may find a commit after a crash
  // of which it had said that it failed.
  std::vector<store::Batch> attempts_;
};

}  // namespace ballast::faults
