// The fleet's time, derived from the times of its evaluations. These come from a wall clock, which
// may be set forward and back, by anything from a second to a year.
//
// newest() is the heartbeat: the newest evaluation according to the clock as it is set now.
// Evaluations are recorded when they end, so a slow one is recorded after newer ones; that alone
// does not set the heartbeat back.
//
// aged() is the time that retention uses as now. Each evaluation advances it by at most twice the
// time since the one before, of which at most two periods count. So a clock that was wrong for a
// while does not make the history old. While nothing is evaluated, as in a replica that does not
// lead, it advances by at most twice the time that passes.
#pragma once

#include <optional>

#include "api/base/time.h"

namespace ballast::store {

class FleetClock {
 public:
  FleetClock() = default;
  // Continues from the heartbeat of an earlier process; 1970: from the first evaluation.
  explicit FleetClock(Time heartbeat)
      : newest_(heartbeat), aged_(heartbeat), newest_passed_(heartbeat) {}

  // Records an evaluation at `time` of an autoscaler that is evaluated every `period`, the last
  // time at `before`. True: the clock was set back, and newest() follows it.
  bool Advance(Time time, Duration period, const std::optional<Time>& before);

  // So much time has passed until now, since the last call or the start.
  void Pass(Time now, Duration span);

  // Adopts the heartbeat of a file that was read only after evaluations: its history must not age
  // beyond that.
  void Join(Time heartbeat);

  Time newest() const { return newest_; }
  Time aged() const { return aged_; }

 private:
  bool SetBack(Time time, const std::optional<Time>& before) const;

  bool began_ = false;  // there was an evaluation in this process
  Time newest_ = Time(0, 0);
  Time aged_ = Time(0, 0);           // never later than the clock was when it advanced
  Time newest_passed_ = Time(0, 0);  // newest_ at the last Pass()
};

}  // namespace ballast::store
