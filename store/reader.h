// Reads a ledger's file: for the command line, while the operator writes it, or a copy of it.
//
// Never changes the file. Thread-safety: none; one thread at a time. Failure modes: kNotFound (no
// such file), kInvalid (not a ledger, or of a newer version), kCorrupt, kUnavailable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/result.h"
#include "api/time.h"
#include "store/records.h"

namespace ballast::store {

class Database;

// One decision, or a run of consecutive evaluations that all came to the same.
struct Entry {
  DecisionId id = 0;
  Subject subject;
  Time time;
  Time until;         // the last evaluation of the run; equals `time` for a single one
  bool open = false;  // the run goes on: `until` is the fleet's last evaluation
  // Length of the run. Absent while it is open, and when a crash ended it.
  std::optional<std::int64_t> evaluations;
  std::int32_t current_replicas = 0;
  std::int32_t desired_replicas = 0;
  std::string reason;
  std::string message;
  Fate fate = Fate::kNone;
  std::string error;            // of the write, if it failed
  std::optional<Time> settled;  // when the fate of a write was recorded
};

struct HistoryQuery {
  std::optional<api::ObjectKey> key;  // all autoscalers when absent
  std::optional<Time> since;          // runs that end before are left out
  std::optional<Time> until;          // runs that begin after are left out
};

class Reader {
 public:
  static Result<std::unique_ptr<Reader>> Open(const std::string& path);
  ~Reader();

  // Every autoscaler that has a record, by namespace, name and age.
  Result<std::vector<Subject>> Subjects();

  // Oldest first.
  Result<std::vector<Entry>> History(const HistoryQuery& query);

 private:
  explicit Reader(std::unique_ptr<Database> database);
  Result<std::vector<Entry>> ReadHistory(const HistoryQuery& query);

  std::unique_ptr<Database> database_;  // none: the file is empty
};

}  // namespace ballast::store
