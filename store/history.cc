#include "store/history.h"

#include <algorithm>
#include <iterator>

namespace ballast::store {
namespace {

// A restart within this time counts as no pause.
constexpr Duration kShortPause = Duration::Seconds(30);

}  // namespace

Time Entry::known_until() const {
  // The period may have been longer then: the average within the run shows it, without delays.
  Duration due = period > Duration{} ? period : Duration::Seconds(15);
  if (evaluations && *evaluations > 1 && !late) {
    due = std::max(due, Duration{(until - time).nanoseconds / (*evaluations - 1)});
  }
  // With a period of hours, only the fleet's heartbeat shows soon that the process has ended.
  due = std::min(due, heartbeats.value_or(due));
  const Time known = until + due + due;
  return resumed && *resumed - until > kShortPause ? std::min(known, until + kShortPause) : known;
}

Result<std::vector<Entry>> History::Entries(const HistoryQuery& query) {
  std::vector<Entry> all;
  TRY(ForEachPart(query, Place(), [&](std::vector<Entry> part, Time /*until*/) -> Status {
    std::ranges::move(part, std::back_inserter(all));
    return Done{};
  }));
  return all;
}

Entry EntryOf(Entry run, const ReasonEntry& reason) {
  run.time = reason.time;
  run.reason = reason.reason;
  run.message = reason.message;
  return run;
}

}  // namespace ballast::store
