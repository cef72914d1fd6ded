// For the store's tests: a temporary folder, and records that look like real ones.
//
// Thread-safety: a Folder: one thread at a time; the functions: any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "store/history.h"
#include "store/ledger.h"
#include "store/records.h"

namespace ballast::store::testing {

// A new folder, deleted with all that is in it by the destructor.
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

// Commits changes, and tries again after a failure, within a millisecond; waits up to Patience()
// for an intent.
LedgerOptions Quick();

inline const engine::Outcome kWritten{engine::Outcome::Kind::kWritten, ""};

// Seconds after an arbitrary moment.
Time At(double seconds);

// Ends the process that writes the file at `path` as kill -9 does: what it has recorded since it
// was flushed last may be lost.
void Kill(std::unique_ptr<Ledger>& ledger, const std::string& path);

// The next process, which starts at At(seconds) and serves these namespaces, or all.
void Restart(std::unique_ptr<Ledger>& ledger, const std::string& path, double seconds,
             std::vector<std::string> namespaces = {});

// A snapshot with nothing but that name; it lives until the process ends.
const engine::Snapshot& SnapshotOf(const std::string& name);
// As the store has it, not compressed.
std::string JsonOf(const engine::Snapshot& snapshot);

// An empty conclusion, for tests in which it does not matter.
extern const engine::Conclusion kConclusion;
std::string JsonOf(const engine::Conclusion& conclusion);

// An evaluation of the policy shop/NAME, whose uid is "uid-NAME", every 15 s; of SnapshotOf(NAME).
EvaluationRecord EvaluationOf(const std::string& name, double seconds, std::int32_t current,
                              std::int32_t desired,
                              const std::string& reason = "DesiredWithinRange");

// One that changes nothing, and whose answers took `took` seconds, the longest for cpu.
EvaluationRecord LateEvaluationOf(const std::string& name, double seconds, double took);

// What the history has of the query's decisions, as History::ForEach visits it.
std::vector<FullEntry> Everything(History& history, const HistoryQuery& query);

// A memory with only these recommendations, in this order.
engine::Memory Recommended(const std::vector<engine::Recommendation>& recommendations);

}  // namespace ballast::store::testing
