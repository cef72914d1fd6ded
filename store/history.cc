#include "store/history.h"

#include <algorithm>

namespace ballast::store {
namespace {

// A process that was killed and is back within that time left no pause.
constexpr Duration kShortPause = Duration::Seconds(30);

}  // namespace

Time Entry::known_until() const {
  // The period may have been another one then, which a run of several evaluations shows.
  Duration due = period > Duration{} ? period : Duration::Seconds(15);
  if (evaluations && *evaluations > 1) {
    due = std::max(due, Duration{(until - time).nanoseconds / (*evaluations - 1)});
  }
  // What is due in hours says nothing of a process that has ended: the fleet does.
  due = std::min(due, heartbeats.value_or(due));
  const Time known = until + due + due;
  return resumed && *resumed - until > kShortPause ? std::min(known, until + kShortPause) : known;
}

Entry EntryOf(Entry run, const Turn& turn) {
  run.time = turn.time;
  run.reason = turn.reason;
  run.message = turn.message;
  return run;
}

}  // namespace ballast::store
