// The `decisions` table and what hangs on it: written by the ledger, one function per change.
//
// Thread-safety and failure modes: the Database's.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "api/base/result.h"
#include "store/batch.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"
#include "store/stored_state.h"

namespace ballast::store {

Status InsertDecision(Database& database, const DecisionAdded& added);
Status InsertReason(Database& database, const ReasonAdded& added);

Status CloseRun(Database& database, const RunClosed& closed);

// Closes the runs that a crash left open: at the heartbeat, their length unknown.
Status CloseOpenRuns(Database& database);

// A later conclusion of the same decision takes the place of the earlier.
Status SettleDecision(Database& database, const DecisionSettled& settled);
Status CorrectFate(Database& database, const FateCorrected& corrected);

Status MarkWritten(Database& database, const WriteConfirmed& confirmed);
Status MarkReady(Database& database, const PodsGotReady& ready);

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

// By uid.
Result<std::unordered_map<std::string, LastReplicas>> LoadLastReplicas(Database& database);

}  // namespace ballast::store
