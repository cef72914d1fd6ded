#include "operator/session/removed_overrides.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "api/base/time.h"
#include "operator/engine/timetable.h"

namespace ballast::session {
namespace {

// What an override kept: so many replicas, and whether it was a zero, whose end wakes the target.
std::pair<std::int32_t, bool> KeptBy(const engine::ScheduleWindow& window) {
  return {window.pin.value_or(window.min_replicas.value_or(0)),
          window.max_replicas == 0 || window.pin == 0};
}

// Leaves out those that have no effect any more, because another one kept as many replicas and
// ended no earlier; and if that is not enough, those that ended first.
void KeepFew(std::vector<engine::ScheduleWindow>& ended) {
  std::ranges::stable_sort(ended, std::greater(), [](const auto& window) {
    return std::tuple(*window.end, KeptBy(window));
  });
  std::vector<engine::ScheduleWindow> lasting;
  std::int32_t most = -1;
  bool any_zero = false;
  for (engine::ScheduleWindow& window : ended) {
    const auto [replicas, zero] = KeptBy(window);
    if (lasting.size() < RemovedOverrides::kMost && (replicas > most || (zero && !any_zero))) {
      most = std::max(most, replicas);
      any_zero = any_zero || zero;
      lasting.push_back(std::move(window));
    }
  }
  ended = std::move(lasting);
}

}  // namespace

void RemovedOverrides::Complete(engine::Snapshot& snapshot) {
  std::vector<engine::ScheduleWindow>& overrides = snapshot.overrides;
  const Time now = snapshot.now;
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
  if (!removed_.empty()) {  // else the tail is not worth finding
    const Time since = now - engine::TailOf(snapshot.autoscaler.spec, snapshot.settings);
    std::erase_if(removed_, [&](const auto& window) { return *window.end <= since; });
  }
  if (removed_.size() > kMost) {
    KeepFew(removed_);
  }
  seen_.clear();
  std::ranges::copy_if(overrides, std::back_inserter(seen_), [&](const auto& window) {
    return window.start <= now && window.hold.empty();
  });
  overrides.insert(overrides.end(), removed_.begin(), removed_.end());
}

}  // namespace ballast::session
