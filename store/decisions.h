// The `decisions` table and what hangs on it: written by the ledger, one function per change.
//
// Thread-safety and failure modes: the Database's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/engine_version.h"
#include "store/evaluation_run.h"
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
  std::optional<std::int64_t> generation;
  std::int64_t engine = engine::kEngineVersion;  // 0: the engine was not asked
};

Status InsertDecision(Database& database, const DecisionRow& row);

// JSON, compressed; empty: there is none. A later conclusion of the same decision takes the place
// of the earlier.
Status InsertSnapshot(Database& database, DecisionId id, const std::string& compressed);
Status InsertConclusion(Database& database, DecisionId id, const std::string& compressed);

// The first evaluation for one of the reasons of a run.
struct TurnRow {
  DecisionId id = 0;  // of the run
  Time time;
  std::string reason;
  std::string message;
  std::string snapshot;  // JSON, compressed
  std::string conclusion;
};
Status InsertTurn(Database& database, const TurnRow& row);

Status CloseRun(Database& database, const EvaluationRun& run);

// Closes the runs that a crash left open: at the heartbeat, their length unknown.
Status CloseOpenRuns(Database& database);

// The fate of which the conclusion is.
Status SettleDecision(Database& database, DecisionId id, Fate fate, const std::string& error,
                      Time time);
// The fate that was found out later; the conclusion stays that of the earlier one.
Status CorrectFate(Database& database, DecisionId id, Fate fate, const std::string& error,
                   Time time);

// The way of a scale event through time, as far as it has come.
struct TimelineRow {
  DecisionId id = 0;
  std::optional<Time> sampled;
  Time seen;
  Time decided;
};
Status InsertTimeline(Database& database, const TimelineRow& row);
Status MarkWritten(Database& database, DecisionId id, Time time);
Status MarkReady(Database& database, DecisionId id, Time time);

// 0 when there is none.
Result<DecisionId> NewestDecision(Database& database);

// Of `decisions d`: the outcome is not known, and may still be found out. Of those that were given
// up as unknown only the newest of an autoscaler: what came before a later one cannot be any more.
#define BALLAST_OPEN_ATTEMPT                                                           \
  "d.fate IN ('intended', 'unknown') AND (d.fate = 'intended' OR NOT EXISTS (SELECT 1" \
  " FROM decisions l WHERE l.autoscaler = d.autoscaler AND l.time > d.time"            \
  " AND l.fate IN ('intended', 'written', 'unknown')))"

// The attempts of which that is so, oldest first.
Result<std::vector<OpenIntent>> UnsettledIntents(Database& database);

// How each autoscaler's replicas were left, by its uid.
struct LastReplicas {
  std::optional<std::int32_t> replicas;  // absent: the last write may or may not have landed
  std::optional<ScaleWrite> write;       // the newest that did land
};
Result<std::unordered_map<std::string, LastReplicas>> LoadLastReplicas(Database& database);

}  // namespace ballast::store
