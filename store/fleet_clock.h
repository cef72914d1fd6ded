// How far the fleet has come, by the times of its evaluations: a wall clock that may be set, back
// and forth, by anything from a second to a year.
//
// newest() is the heartbeat: the newest evaluation by the clock as it is now. Evaluations are
// recorded when they end, so one that took long comes after newer ones; that alone does not set it
// back. aged() is what retention takes for now: it gains no more than evaluations can have passed,
// so that a clock that was wrong for a while makes no history old.
//
// Thread-safety: a plain value. Failure modes: none.
#pragma once

#include <optional>

#include "api/base/time.h"

namespace ballast::store {

class FleetClock {
 public:
  FleetClock() = default;
  // Goes on from the heartbeat of an earlier process; without one from the first evaluation.
  explicit FleetClock(Time heartbeat) : newest_(heartbeat), aged_(heartbeat) {}

  // An evaluation at `time` of an autoscaler that is evaluated every `period`, the last time at
  // `before`. True: the clock has been set back, and newest() with it.
  bool Advance(Time time, Duration period, const std::optional<Time>& before);

  // History of a file that is read later than that has not aged beyond its heartbeat.
  void Join(Time heartbeat);

  Time newest() const { return newest_; }
  Time aged() const { return aged_; }

 private:
  bool SetBack(Time time, const std::optional<Time>& before) const;

  bool began_ = false;  // there was an evaluation
  Time newest_ = Time(0, 0);
  Time aged_ = Time(0, 0);  // never later than newest_
};

}  // namespace ballast::store
