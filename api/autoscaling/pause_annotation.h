// The annotations by which people pause an autoscaler of either kind. GitOps leaves them alone,
// unlike a field of the spec, and no webhook is asked when they change.
//
//   ballast.dev/paused-until      when the pause ends by itself: "2026-11-23T06:00:00Z", any zone
//   ballast.dev/paused-direction  what is paused: "In", "Out" or "Both" (the default)
//   ballast.dev/paused-by, ballast.dev/paused-reason
//                                 free text for whoever finds the target paused
//
// Without an end that can be understood there is no pause: it would never end by itself, and a
// target that cannot scale out fails some day. That is not silent: the webhook refuses to create
// such a policy (CheckPause), and the condition Held says it while the policy is not paused
// (PauseHasNoEnd). A direction that is not understood counts as Both, which ends all the same.
//
// Errors: none returned; what is wrong is in the FieldErrors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

inline constexpr const char* kPausedUntil = "ballast.dev/paused-until";
inline constexpr const char* kPausedDirection = "ballast.dev/paused-direction";
inline constexpr const char* kPausedBy = "ballast.dev/paused-by";
inline constexpr const char* kPausedReason = "ballast.dev/paused-reason";

// What kPausedUntil has to be, for messages.
inline constexpr const char* kPauseEnd = "a time like 2026-11-23T06:00:00Z";

struct Pause {
  Time until;  // the first moment after it
  bool in = true;
  bool out = true;
  // One printable line each, bounded; empty: not told.
  std::string by;
  std::string reason;
  // One of spec.schedules has it as its hold, `by` names that, and no annotation tells of it.
  bool by_schedule = false;
  std::string open_end;  // what ends it, if no moment is known: `until` is far away then

  // Whether it keeps a target from being scaled from one count to the other.
  bool Holds(std::int32_t from, std::int32_t to) const { return to < from ? in : to > from && out; }
};

// The pause that the annotations ask for, which may be over.
std::optional<Pause> FindPause(const Autoscaler& autoscaler);

// The pause at `now`; nullopt if there is none or it is over.
std::optional<Pause> PauseOf(const Autoscaler& autoscaler, Time now);

// "alice paused scale-in until 2026-11-23T06:00:00Z: black friday"
std::string Print(const Pause& pause);

// Whether kPausedUntil is present but not a time, so that there is no pause.
bool PauseHasNoEnd(const Autoscaler& autoscaler);

// What is wrong with the annotations, whether or not the pause is over.
FieldErrors CheckPause(const Autoscaler& autoscaler);

}  // namespace ballast::api
