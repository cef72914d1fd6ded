// Whether Ballast is the controller of a HorizontalPodAutoscaler in mode manage, and how it becomes
// that.
//
// Nothing keeps two controllers from scaling one target, so Ballast first finds out whether another
// one is at work. It writes a claim into the status (status_marks.h), which another controller
// would drop or follow with a write of its own, and waits for three periods, at least a minute. If
// nobody else has written the status by then, it replaces the claim, on the condition that the HPA
// is still the version that it has seen, and holds the HPA from then on. As soon as somebody else
// writes the status, it scales no more, says who that is, and claims again once the status has been
// left alone for as long. Another controller that has many HPAs looks at each of them rarely, so
// what it writes to any of them counts (other_controllers.h).
//
// A process that finds the HPA held by Ballast, because another replica or an earlier run managed
// it, and the status untouched since, continues as soon as the API server has confirmed that: its
// watch may be late, and another controller at work already. It writes the claim that stands once
// more, on the condition that the HPA is still the version that it has seen.
//
// Thread-safety: belongs to one HPA; one thread at a time.
// Errors: none; a claim that could not be written is offered again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/boxed.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "operator/hpa/other_controllers.h"
#include "operator/hpa/status_marks.h"
#include "operator/process/clock.h"
#include "operator/session/requests.h"

namespace ballast::hpa {

class Claim {
 public:
  // What to do with the HPA now.
  struct ClaimAction {
    bool held = false;    // evaluate it, and write its scale
    bool behind = false;  // the watch does not have what Ballast knows to be there
    std::optional<session::WriteStatus> write;  // to send first; call Answered() with the answer
    bool confirms = false;                      // the write only confirms that Ballast holds it
    std::vector<engine::Event> events;          // to emit
    std::optional<Duration> again;              // look again so soon, if before the period is over
  };

  struct Circumstances {
    std::optional<ManageBlocker> blocker;  // why it must not be managed
    std::string written;  // its version as Ballast wrote it last; the watch may be behind
    // The target's scale cannot be read. Then another controller cannot read it either, and may
    // leave the status alone.
    bool blind = false;
    const OtherControllers& others;  // what is known of them from all HPAs
  };
  // The HPA's mode is manage. `period`: between two evaluations.
  ClaimAction Take(const api::Autoscaler& hpa, const Circumstances& around,
                   const process::Instant& now, Duration period);
  // The HPA's mode is `mode`, and not manage: removes what marks Ballast left on it.
  ClaimAction Leave(const api::Autoscaler& hpa, std::string_view mode, const std::string& written,
                    const process::Instant& now);
  // What the condition api::kManaged said, and says since Ballast wrote it; empty: nothing.
  struct ConditionChange {
    std::string from;
    std::string to;
  };
  // Whatever was to be sent was answered. Returns the change if it was written; absent: there is
  // none.
  Boxed<ConditionChange> Answered(const session::StatusAnswer& answer, const process::Instant& now);
  // A status was refused because somebody else has made this version of the HPA: nothing is written
  // until the watch has it.
  void Conflicted(const std::string& version);

  // Who scaled the HPA's target before, and who does from now on; empty: nobody, or it is not
  // known.
  struct HandOver {
    std::string from;
    std::string to;
    std::optional<Time> when;  // of the other controller's write that it was found by
  };
  // Ballast has begun or ended to hold the HPA since the last call.
  std::optional<HandOver> TakeHandOver();

  // Whether Take() found since the last call that Ballast holds the HPA anew: what it knew of the
  // HPA's past may be out of date.
  bool TakeBegun();
  // Whether it would be true, unless that has ended already.
  bool begun() const { return begun_ && state_ == State::kHeld; }

 private:
  enum class State {
    kNone,
    kClaiming,  // the claim is written, or being written
    kHeld,
    kContested,  // another controller is at work
  };

  // What was asked for was not answered, so that it may have been written or not: begins anew, with
  // what the status says then.
  void Forget();
  // The invariants: each edge looks whether the one before left them true.
  bool Check() const;
  // Whether the watch does not have Ballast's last write yet. It will not where the cluster's
  // versions were set back, by a backup that was restored.
  bool IsBehind(const api::Autoscaler& hpa, const std::string& written,
                const process::Instant& now);
  // Ballast holds the HPA from now on; or no more, because `other` does if that is known.
  void NoteBegin(std::string from);
  void NoteEnd(const std::optional<api::FieldManager>& other);
  ClaimAction Contest(const api::Autoscaler& hpa, const process::Instant& now);
  // How long the other controller must still be quiet.
  Duration QuietLeft(const Circumstances& around, const process::Instant& now,
                     Duration period) const;
  ClaimAction AwaitQuiet(const api::Autoscaler& hpa, const Circumstances& around,
                         const process::Instant& now, Duration period);
  ClaimAction AwaitClaim(const api::Autoscaler& hpa, const Circumstances& around,
                         const process::Instant& now, Duration period);
  ClaimAction Confirm(const api::Autoscaler& hpa);
  ClaimAction Mark(const api::Autoscaler& hpa, std::optional<std::int64_t> claim,
                   const process::Instant& now);

  State state_ = State::kNone;
  // Since when the claim stands, or the other controller's last write was seen; absent: the claim
  // is not written yet.
  std::optional<process::SteadyTime> since_;
  std::optional<api::FieldManager> other_;  // the other controller, and its last write
  std::optional<ManageBlocker> blocker_;    // as the HPA's condition says
  std::optional<std::int64_t> offered_;     // the claim that is being written
  Boxed<ConditionChange> offered_change_;   // that is being written
  std::string version_;                     // of the HPA, as a claim was last written
  std::optional<api::ObjectKey> confirms_;  // whose claim is only confirmed by what is written
  std::optional<process::SteadyTime> behind_since_;  // the watch is
  bool begun_ = false;
  bool refused_ = false;               // the version is somebody else's
  int contests_ = 0;                   // since the mode became manage
  std::string left_;                   // the version that Leave() last asked to change
  std::optional<bool> holds_;          // as of the last hand-over; absent: of an earlier run
  std::optional<HandOver> hand_over_;  // until TakeHandOver()
};

}  // namespace ballast::hpa
