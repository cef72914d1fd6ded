// For the store's tests: a folder that goes away, and records that look like real ones.
//
// Thread-safety: one test's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "store/ledger.h"
#include "store/records.h"

namespace ballast::store::testing {

class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string Path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Waits for nothing long: neither for others to share a commit with, nor before it tries again.
LedgerOptions Quick();

inline const engine::Outcome kWritten{engine::Outcome::Kind::kWritten, ""};

// Seconds after an arbitrary moment.
Time At(double seconds);

// A snapshot that has that name, and nothing else; it lives for ever.
const engine::Snapshot& SnapshotOf(const std::string& name);
// As the store has it.
std::string JsonOf(const engine::Snapshot& snapshot);

// What was concluded, where that does not matter.
extern const engine::Conclusion kConclusion;
std::string JsonOf(const engine::Conclusion& conclusion);

// An evaluation of the policy shop/NAME, whose uid is "uid-NAME", every 15 s; of SnapshotOf(NAME).
Evaluation EvaluationOf(const std::string& name, double seconds, std::int32_t current,
                        std::int32_t desired, const std::string& reason = "DesiredWithinRange");

// A memory with these recommendations, in this order.
engine::Memory Recommended(const std::vector<engine::Recommendation>& recommendations);

}  // namespace ballast::store::testing
