// What a replica's disk has, in a file of the program's own format, so that what the command line
// reads from it can be checked (check_answers.h). It is written outside of virtual time: nothing
// that runs waits for it.
//
// Thread-safety: one thread.
// Errors: those of the store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "store/backend.h"
#include "store/fold/batch.h"
#include "store/records.h"

namespace ballast::faults {

class Archive {
 public:
  explicit Archive(int number);

  // What happens on the disk, in its order. May be called on a fiber.
  void Opened(const std::string& identity, const store::Process& process);
  void Committed(const store::Batch& batch) { parts_.back().batch.Append(batch); }

  // Writes what has come since the last call. Call it from outside of fibers.
  Status Write();
  const std::string& path() const { return path_; }

 private:
  // What one process committed.
  struct Part {
    std::optional<store::Process> process;  // absent: it is the one of the part before
    store::Batch batch;
  };

  const std::string path_;
  std::string identity_;  // of the process that has the disk
  std::vector<Part> parts_;
  std::unique_ptr<store::Backend> file_;  // as that process has it
};

}  // namespace ballast::faults
