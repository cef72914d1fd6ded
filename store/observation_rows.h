// What is recorded beside the decisions: tracks, replicas that somebody else set, who led. Written
// by the ledger, one function per change.
//
// Thread-safety and failure modes: the Database's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/evaluation_series.h"
#include "store/records.h"
#include "store/sqlite.h"

namespace ballast::store {

struct SeriesRow {
  Subject subject;
  Time time;
  Time until;
  std::int64_t evaluations = 0;
  std::string data;  // EvaluationSeries::Pack
};

// Adds it, or puts it in place of what the same series was before it grew.
Status WriteSeries(Database& database, const SeriesRow& row);

// The autoscaler's newest evaluation until then that is in a series.
Result<std::optional<SeriesPoint>> FindInSeries(Database& database, const std::string& uid,
                                                Time until);

Status InsertForeignChange(Database& database, const Subject& subject, const ForeignChange& change);

// `since` also ends the term before.
Status InsertTerm(Database& database, const std::string& leader, bool own, Time since);

// Ends the term of the writer before, at the heartbeat.
Status CloseOwnTerm(Database& database);

}  // namespace ballast::store
