// When an autoscaler is evaluated next.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/process/clock.h"
#include "operator/session/session_options.h"

namespace ballast::session {

// What an evaluation at the end of a hold, or at a boundary of schedules, will do if all else stays
// the same. Many autoscalers may share that moment; those that scale out go first.
enum class Prospect { kUnknown, kScaleOut, kScaleIn };

struct DueMoment {
  Time at;
  Prospect prospect = Prospect::kUnknown;
};

// At the autoscaler's point of `period`, or after `sooner` if that is earlier,
// because what holds its count ends then or an attempt has to be settled.
struct NextEvaluation {
  Duration period;
  std::optional<Duration> sooner;
  Prospect prospect = Prospect::kUnknown;  // of an evaluation after `sooner`
};

// When what holds an autoscaler's count ends, or may have ended, or the bounds of its schedules
// change.
class ReleaseMoment {
 public:
  // An evaluation that began at `now`, of a target that has so many replicas after it, has this
  // result.
  void Concluded(const engine::Snapshot& snapshot, const engine::Conclusion& conclusion,
                 std::int32_t replicas, Time now);
  // There is no count that is held.
  void Clear() { moment_.reset(); }
  // Absent: nothing is held. A release stands until an evaluation has begun at or after it. An
  // earlier one that names no release does not cancel it: it may only have had no newer sample.
  std::optional<DueMoment> After(std::optional<Time> last_evaluation);

 private:
  std::optional<DueMoment> moment_;
};

// An autoscaler with a problem is evaluated this often, even if its period is longer.
inline constexpr Duration kProblemPeriod = Duration::Seconds(15);

// The autoscaler's next point of such a period, after now by at most one.
using NextPoint = std::function<process::SteadyTime(Duration period)>;

// What an earlier run has left.
struct LeftBehind {
  std::optional<Time> last_evaluation;
  bool unsettled = false;  // an attempt to write the scale is
};

// When the autoscaler is due after the operator's start:
// - at once if it is new, if it is a policy that was edited since, or if an earlier run left an
//   unsettled attempt;
// - when the bounds of its schedules change, or at once if they have;
// - a period after its last evaluation, so that a restart brings none forward;
// - if that is overdue, or if only another replica's store has it, at its point of the period (of
//   the default period if that is shorter), so that not all are evaluated at once. So is a policy
//   with schedules that would rest for longer than the default period.
Duration FirstDelay(const api::Autoscaler& autoscaler, const LeftBehind& left,
                    const SessionOptions& options, const NextPoint& next_point,
                    const process::Instant& now);

}  // namespace ballast::session
