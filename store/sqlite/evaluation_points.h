// Single evaluations with the values of their metrics, which are in series, and the newest in the
// journal alone.
//
// Thread-safety: the Database's.
// Errors: the Database's. A damaged series is none, and adds to `damaged`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/packing/evaluation_series.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// The autoscaler's last evaluation until then.
Result<std::optional<SeriesPoint>> ReadPoint(Database& database, const std::string& uid, Time at,
                                             std::int64_t& damaged);

struct PointsRead {
  std::vector<SeriesPoint> points;
  std::optional<Time> next;  // of series that begin after that there may be more; absent: none
};

// The evaluations after `since` and until `until` of the next few series that begin after
// `begin_after`, oldest first; after the last series also those that are only in the journal.
Result<PointsRead> ReadPoints(Database& database, const std::string& uid, Time begin_after,
                              Time since, Time until, std::int64_t& damaged);

}  // namespace ballast::store
