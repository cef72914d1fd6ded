// How long a target's pods take until they are ready after a scale-out, from the last ones.
#pragma once

#include <cstddef>
#include <vector>

#include "api/base/time.h"
#include "api/decision/schedule_window.h"

namespace ballast::session {

class StartupTimes {
 public:
  // What took longer, for want of nodes or images, says nothing about the next start.
  static constexpr Duration kLongest = Duration::Seconds(15LL * 60);

  // Counts as kLongest if it took longer.
  void Add(Duration took);
  // What an earlier run has found typical. Counts until a start is added, since it would hide for
  // ever that pods are faster by now.
  void Remember(Duration typical) { remembered_ = typical; }
  // Nine of ten were as fast; kUnknownStartup while none is known.
  Duration Typical() const;

 private:
  static constexpr std::size_t kKept = 20;

  std::vector<Duration> times_;  // the oldest is replaced first
  std::size_t oldest_ = 0;
  Duration remembered_ = engine::kUnknownStartup;
};

}  // namespace ballast::session
