#include "store/testing/test_store.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "api/decision/decision_json.h"
#include "api/decision/snapshot_json.h"
#include "api/json/json_writer.h"
#include "store/testing/open_ledger.h"
#include "tests/support/test_patience.h"

namespace ballast::store::testing {

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "ballast-store-XXXXXX").string();
  path_ = mkdtemp(name.data());
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

LedgerOptions Quick() {
  LedgerOptions options;
  options.commit_delay = std::chrono::milliseconds(1);
  options.retry_delay = std::chrono::milliseconds(1);
  options.intent_timeout = support::Patience();
  return options;
}

Time At(double seconds) {
  return Time::FromUnixNanoseconds(1'800'000'000'000'000'000 +
                                   static_cast<std::int64_t>(seconds * 1e9));
}

EvaluationRecord EvaluationOf(const std::string& name, double seconds, std::int32_t current,
                              std::int32_t desired, const std::string& reason) {
  EvaluationRecord evaluation;
  evaluation.subject = {"uid-" + name, "AutoScalePolicy", {"shop", name}};
  evaluation.time = At(seconds);
  evaluation.current_replicas = current;
  evaluation.desired_replicas = desired;
  evaluation.reason = reason;
  evaluation.message = "because of " + reason;
  evaluation.snapshot = &SnapshotOf(name);
  return evaluation;
}

EvaluationRecord LateEvaluationOf(const std::string& name, double seconds, double took) {
  EvaluationRecord evaluation = EvaluationOf(name, seconds, 5, 5);
  evaluation.seen = At(seconds + took);
  evaluation.slowest = "Resource/cpu";
  return evaluation;
}

void Kill(std::unique_ptr<Ledger>& ledger, const std::string& path) {
  // Later writes of this process go to another file.
  const Folder killed;
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(path + suffix, killed.Path("db") + suffix);
  }
  ledger.reset();
  std::filesystem::remove(path);
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(killed.Path("db") + suffix, path + suffix);
  }
}

void Restart(std::unique_ptr<Ledger>& ledger, const std::string& path, double seconds,
             std::vector<std::string> namespaces) {
  ledger.reset();
  ledger = testing::OpenLedger(path, {}, {.process = Process{At(seconds), std::move(namespaces)}})
               .value();
}

const engine::Snapshot& SnapshotOf(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, engine::Snapshot> snapshots;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = snapshots.try_emplace(name);
  if (is_new) {  // written once, since others read it without the lock
    found->second.autoscaler.metadata.name = name;
  }
  return found->second;
}

std::string JsonOf(const engine::Snapshot& snapshot) {
  json::Writer writer;
  engine::Encode(writer, snapshot);
  return writer.Take();
}

const engine::Conclusion kConclusion;

std::string JsonOf(const engine::Conclusion& conclusion) {
  json::Writer writer;
  engine::Encode(writer, "", conclusion);
  return writer.Take();
}

std::vector<FullEntry> Everything(History& history, const HistoryQuery& query) {
  std::vector<FullEntry> all;
  history
      .ForEach(query,
               [&](const FullEntry& one) -> Status {
                 all.push_back(one);
                 return Done{};
               })
      .value();
  return all;
}

engine::Memory Recommended(const std::vector<engine::Recommendation>& recommendations) {
  engine::Memory memory;
  memory.recommendations = recommendations;
  return memory;
}

}  // namespace ballast::store::testing
