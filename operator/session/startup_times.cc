#include "operator/session/startup_times.h"

#include <algorithm>

namespace ballast::session {

void StartupTimes::Add(Duration took) {
  took = std::min(took, kLongest);
  if (times_.size() < kKept) {
    times_.push_back(took);
  } else {
    times_[oldest_] = took;
    oldest_ = (oldest_ + 1) % kKept;
  }
}

// By the nearest rank.
Duration StartupTimes::Typical() const {
  if (times_.empty()) {
    return remembered_;
  }
  std::vector<Duration> sorted = times_;
  std::ranges::sort(sorted);
  return sorted[(sorted.size() * 9 + 9) / 10 - 1];
}

}  // namespace ballast::session
