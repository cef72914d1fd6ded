// What is recorded beside the decisions: tracks, replicas that somebody else set, who led. Written
// by the ledger, one function per change.
//
// Thread-safety and failure modes: the Database's.
#pragma once

#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/batch.h"
#include "store/evaluation_series.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Adds it, or puts it in place of what the same series was before it grew.
Status WriteSeries(Database& database, const SeriesSaved& saved);

// The autoscaler's newest evaluation until then that is in a series.
Result<std::optional<SeriesPoint>> FindInSeries(Database& database, const std::string& uid,
                                                Time until);

Status InsertForeignChange(Database& database, const ReplicasChanged& changed);

Status InsertTerm(Database& database, const TermBegun& begun);

// Ends the term of the writer before, at the heartbeat.
Status CloseOwnTerm(Database& database);

}  // namespace ballast::store
