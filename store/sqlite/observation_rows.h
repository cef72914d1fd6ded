// The tables of what is recorded besides decisions: series, foreign changes, edits and the specs
// that they are found by, terms of leaders.
//
// Thread-safety: the Database's.
// Errors: the Database's; SeriesOf: kCorrupt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/fold/batch.h"
#include "store/fold/stored_state.h"
#include "store/packing/evaluation_series.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Adds a series, or replaces a shorter version of it.
Status WriteSeries(Database& database, const SeriesSaved& saved);

// The evaluations of a series, from the column `data`.
Result<std::vector<SeriesPoint>> SeriesOf(std::string_view data);

// The autoscaler's newest evaluation in a series that is not after `until`; a damaged series is
// none, and adds to `damaged`.
Result<std::optional<SeriesPoint>> FindInSeries(Database& database, const std::string& uid,
                                                Time until, std::int64_t& damaged);

Status InsertForeignChange(Database& database, const ForeignChangeAdded& changed);

Status InsertEdit(Database& database, const EditAdded& changed);

// Replaces the spec, or deletes it if it is empty.
Status WriteSpec(Database& database, const SpecReplaced& kept);

Result<std::vector<LoadedSpec>> LoadSpecs(Database& database);

Status InsertTerm(Database& database, const TermAdded& begun);

// Ends the previous writer's own term at the heartbeat.
Status CloseOwnTerm(Database& database);

}  // namespace ballast::store
