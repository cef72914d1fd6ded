#include "operator/controllers/overrides/removed_overrides.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/base/time.h"
#include "operator/engine/timetable.h"

namespace ballast::controllers {

void RemovedOverrides::Complete(engine::Snapshot& snapshot) {
  std::vector<engine::ScheduleWindow>& overrides = snapshot.overrides;
  const Time now = snapshot.now;
  const Time since = now - engine::TailOf(snapshot.autoscaler.spec, snapshot.settings);
  for (engine::ScheduleWindow& window : seen_) {
    if (std::ranges::find(overrides, window.name, &engine::ScheduleWindow::name) ==
        overrides.end()) {
      window.end = std::min(window.end.value_or(now), now);
      removed_.push_back(std::move(window));
    }
  }
  for (engine::ScheduleWindow& window : removed_) {
    window.end = std::min(*window.end, now);  // it counts no more, even if the clock was set back
  }
  std::erase_if(removed_, [&](const auto& window) { return *window.end <= since; });
  seen_.clear();
  std::ranges::copy_if(overrides, std::back_inserter(seen_), [&](const auto& window) {
    return window.start <= now && window.hold.empty();
  });
  overrides.insert(overrides.end(), removed_.begin(), removed_.end());
}

}  // namespace ballast::controllers
