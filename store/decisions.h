// The `decisions` table and what hangs on it: written by the ledger, one function per change.
//
// Thread-safety and failure modes: the Database's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/result.h"
#include "api/time.h"
#include "store/records.h"
#include "store/sqlite.h"

namespace ballast::store {

struct DecisionRow {
  DecisionId id = 0;
  Subject subject;
  Time time;
  bool run = false;  // evaluations that come to the same will follow
  std::int32_t current_replicas = 0;
  std::int32_t desired_replicas = 0;
  std::string reason;
  std::string message;
  Fate fate = Fate::kNone;
};

Status InsertDecision(Database& database, const DecisionRow& row);

// JSON, compressed. A later conclusion of the same decision takes the place of the earlier.
Status InsertSnapshot(Database& database, DecisionId id, const std::string& compressed);
Status InsertConclusion(Database& database, DecisionId id, const std::string& compressed);

Status CloseRun(Database& database, DecisionId id, Time until, std::int64_t evaluations);

// Closes the runs that a crash left open: at the heartbeat, their length unknown.
Status CloseOpenRuns(Database& database);

Status SettleDecision(Database& database, DecisionId id, Fate fate, const std::string& error,
                      Time time);

// 0 when there is none.
Result<DecisionId> NewestDecision(Database& database);

// The attempts whose outcome is not known, oldest first.
Result<std::vector<OpenIntent>> UnsettledIntents(Database& database);

}  // namespace ballast::store
