// Which of an autoscaler's overrides count, and when.
//
// An override counts from its start until its end, or until somebody ends it. Of one type (floor,
// ceiling, pin, hold) only the newest counts at a time; an older one that lasts longer counts again
// after it. So it is a function of the objects that there are and of the time: nothing is
// remembered, and whoever leads next comes to the same result.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/override.h"
#include "api/base/time.h"
#include "api/decision/schedule_window.h"

namespace ballast::cluster {

using OverridePointer = std::shared_ptr<const api::AutoScaleOverride>;

// Of status.phase.
inline constexpr const char* kPhasePending = "Pending";
inline constexpr const char* kPhaseActive = "Active";
inline constexpr const char* kPhaseSuperseded = "Superseded";
inline constexpr const char* kPhaseExpired = "Expired";
inline constexpr const char* kPhaseInvalid = "Invalid";

// How status.message begins of one that is active and yet does nothing, or not everywhere.
inline constexpr const char* kWithoutEffect = "without effect";

// The newest of each type, of those of one autoscaler that count at one moment.
class NewestOverrides {
 public:
  void Add(const OverridePointer& override);
  // Null: none of that type was added.
  const OverridePointer& Of(api::OverrideType type) const {
    return newest_[static_cast<std::size_t>(type)];
  }
  auto begin() const { return newest_.begin(); }
  auto end() const { return newest_.end(); }

 private:
  std::array<OverridePointer, 4> newest_;
};

// `newest`: the newest of its type that is open; null: there is none beside it.
api::OverrideStatus StatusAt(const api::AutoScaleOverride& override,
                             const api::AutoScaleOverride* newest, Time now);

// The windows in which `all` overrides of one autoscaler count: those of one type never overlap.
// Those that were over by `since` are left out, and holds that somebody has ended early: these are
// over when they are ended, as a pause is.
std::vector<engine::ScheduleWindow> WindowsOf(const std::vector<OverridePointer>& all, Time since,
                                              Time now);

// Those that count at `now`, each from its start to its end.
std::vector<engine::ScheduleWindow> OpenWindowsOf(const std::vector<OverridePointer>& all,
                                                  Time now);

// The next moment at which the status of one of them may change; absent: there is none.
std::optional<Time> NextChange(const std::vector<OverridePointer>& all, Time now);

// Whether the windows that contain `now` are the same.
bool SameOverrides(const std::vector<engine::ScheduleWindow>& a,
                   const std::vector<engine::ScheduleWindow>& b, Time now);

}  // namespace ballast::cluster
