// A replica's disk: what a process has written to it survives the process.
//
//   Disk disk(world, 0);
//   auto ledger = store::MakeLedger(disk.Open(process), options);
//
// The platter is the ledger's back end in memory (store/memory/memory_backend.h), with what it
// needs beyond that to settle intents after a crash. Commits take time, and may fail; a commit that
// is under way when its process is killed is made or not.
//
// Thread-safety: one thread, many fibers.
// Errors: the Backend's.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "store/backend.h"
#include "store/memory/memory_backend.h"

namespace ballast::simulation {

class World;
class Process;

class Disk {
 public:
  Disk(World& world, int number) : world_(world), number_(number) {}

  // `process` must outlive the back end.
  std::unique_ptr<store::Backend> Open(Process& process);

 private:
  class Connection;

  void Keep(const store::Change& change);
  void AddSnapshots(store::StoredState& state) const;

  World& world_;
  const int number_;
  store::MemoryBackend platter_;
  std::map<store::DecisionId, std::string> intents_;  // packed snapshots of unsettled ones
};

}  // namespace ballast::simulation
