#include "store/sqlite/evaluation_points.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "store/sqlite/journal_rows.h"
#include "store/sqlite/observation_rows.h"

namespace ballast::store {
namespace {

// How many series (of at most 240 evaluations) are read at once.
constexpr std::int64_t kSeriesBatch = 8;

}  // namespace

// The newest evaluations may be in the journal, in a series, or in both.
Result<std::optional<SeriesPoint>> ReadPoint(Database& database, const std::string& uid, Time at,
                                             std::int64_t& damaged) {
  // Times of points are rounded to milliseconds.
  const Time end = at + Duration::Milliseconds(1);
  ASSIGN_OR_RETURN(auto point, FindInSeries(database, uid, end, damaged));
  ASSIGN_OR_RETURN(auto newer, FindInJournal(database, uid, end));
  return newer && (!point || newer->time > point->time) ? newer : point;
}

Result<PointsRead> ReadPoints(Database& database, const std::string& uid, Time begin_after,
                              Time since, Time until, std::int64_t& damaged) {
  PointsRead read;
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT s.data, s.time FROM autoscalers a JOIN series s"
                                    " ON s.autoscaler = a.id WHERE a.uid = ?1 AND s.time > ?2"
                                    " AND s.until > ?3 AND s.time <= ?4 ORDER BY s.time LIMIT ?5"));
  rows.Bind(uid, begin_after, since, until, kSeriesBatch);
  std::int64_t series = 0;
  TRY(rows.ForEach([&](const Statement& row) -> Status {
    if (++series == kSeriesBatch) {
      read.next = row.Moment(1);
    }
    const auto points = SeriesOf(row.Blob(0));
    if (!points.ok()) {
      ++damaged;
      return Done{};
    }
    std::ranges::copy_if(*points, std::back_inserter(read.points), [&](const SeriesPoint& point) {
      return point.time > since && point.time <= until;
    });
    return Done{};
  }));
  if (!read.next) {
    ASSIGN_OR_RETURN(auto unsaved, ReadUnsavedOf(database, uid, since, until));
    std::ranges::move(unsaved, std::back_inserter(read.points));
  }
  return read;
}

}  // namespace ballast::store
