// The SQLite file on a replica's disk, on which calls fail and wait, and which is cut off when its
// process dies: the next process gets a copy of what is there at that moment, while the former one
// ends unseen with its own.
//
// Thread-safety: one thread, many fibers.
// Errors: the Backend's.
#pragma once

#include <memory>
#include <string>

#include "store/backend.h"
#include "store/records.h"
#include "store/testing/failing_vfs.h"
#include "tests/faults/faults.h"
#include "tests/faults/fibers.h"

namespace ballast::faults {

class LedgerFile {
 public:
  using Judge = store::testing::FailingVfs::Judge;

  // `dice` must outlive the LedgerFile.
  LedgerFile(int disk, Dice& dice);

  // The program's back end on it, whose calls are judged.
  std::unique_ptr<store::Backend> Open(const store::Process& process, Judge judge);
  // Cuts off whoever has it open.
  void Cut(bool loses_power);
  // What is there now that nobody has it open.
  Result<store::StoredState> Read() const;

 private:
  std::string Folder() const { return name_ + "." + std::to_string(copies_); }
  std::string Path() const { return Folder() + "/ballast.db"; }

  const std::string name_;
  Dice& dice_;
  int copies_ = 0;
};

// While it lives, mutexes let nobody else run: what runs outside of fibers must find SQLite's free.
class InSqlite {
 public:
  InSqlite() { Fibers::Get().Calm(true); }
  ~InSqlite() { Fibers::Get().Calm(false); }
  InSqlite(const InSqlite&) = delete;
  InSqlite& operator=(const InSqlite&) = delete;
};

}  // namespace ballast::faults
