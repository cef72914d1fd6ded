// The `decisions` table and those that refer to it: one function for each change of a batch, and
// what the ledger reads at its start.
//
// Thread-safety: the Database's.
// Errors: the Database's; LoadLastReplicas: kCorrupt also for an unknown disposition.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "api/base/result.h"
#include "store/fold/batch.h"
#include "store/fold/stored_state.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

Status InsertDecision(Database& database, const DecisionAdded& added);
Status InsertReason(Database& database, const ReasonAdded& added);

Status CloseRun(Database& database, const RunClosed& closed);
Status ReopenRun(Database& database, const RunReopened& reopened);

// Ends the runs that a crash left open at the heartbeat; their number of evaluations stays unknown.
Status CloseOpenRuns(Database& database);

// A later conclusion of the same decision replaces the earlier one.
Status SettleDecision(Database& database, const DecisionSettled& settled);
Status CorrectDisposition(Database& database, const DispositionCorrected& corrected);

Status MarkWritten(Database& database, const WriteConfirmed& confirmed);
Status MarkReady(Database& database, const PodsGotReady& ready);

// 0: there is none.
Result<DecisionId> NewestDecision(Database& database);

// A condition on `decisions d`: the outcome is not known and may still be found out. Of those that
// were given up as unknown it holds only for an autoscaler's newest attempt: what a later attempt
// has followed can no longer be found out.
#define BALLAST_OPEN_ATTEMPT                                                                 \
  "d.outcome IN ('intended', 'unknown') AND (d.outcome = 'intended' OR NOT EXISTS (SELECT 1" \
  " FROM decisions l WHERE l.autoscaler = d.autoscaler AND l.time > d.time"                  \
  " AND l.outcome IN ('intended', 'written', 'unknown')))"

// The attempts that meet this condition, oldest first.
Result<std::vector<OpenIntent>> UnsettledIntents(Database& database);

// By uid.
Result<std::unordered_map<std::string, LastReplicas>> LoadLastReplicas(Database& database);

}  // namespace ballast::store
