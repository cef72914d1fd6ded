// What Ballast is to a HorizontalPodAutoscaler, by its mode and by who else is at work: its
// controller (claim.h), or an observer that records what its controller does (observe_mode.h), with
// decisions of its own to compare in mode shadow.
//
// Thread-safety: belongs to one HPA; one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "operator/hpa/claim.h"
#include "operator/hpa/hpa_observer.h"
#include "operator/hpa/hpa_options.h"
#include "operator/hpa/observe_mode.h"
#include "operator/hpa/other_controllers.h"
#include "operator/session/autoscaler_memory.h"
#include "operator/session/ports.h"
#include "operator/session/requests.h"
#include "operator/session/scale_observer.h"
#include "operator/session/session_options.h"

namespace ballast::hpa {

class HpaRole {
 public:
  // The arguments must outlive the HpaRole.
  HpaRole(const session::Ports& ports, const session::SessionOptions& options,
          const HpaOptions& hpa_options)
      : ports_(ports), options_(options), observe_mode_(ports, options, hpa_options.shadows) {}

  // As ObserveMode::Continue.
  void Continue(const session::AutoscalerMemory& memory, const session::ScaleObserver& scale) {
    observe_mode_.Continue(memory, scale);
  }

  // What the session knows.
  struct SessionState {
    session::AutoscalerMemory& memory;
    const session::ScaleObserver& scale;
    const OtherControllers& others;
    const session::MetricsAnswer& answer;  // has the scale if the mode is manage
    std::string version;     // of the HPA, as Ballast wrote it last; the watch may be behind
    bool unsettled = false;  // an attempt to write the scale is
  };
  // What to do with the HPA now.
  struct RoleAction {
    std::vector<engine::Event> events;          // to emit
    std::optional<session::WriteStatus> write;  // to send; call Answered() with the answer
    bool evaluate = false;
    bool asks_who_set = false;  // as ObserveMode::Looked
    bool begun = false;  // Ballast has become its controller: others may have changed whatever was
                         // known of it
    // When it is looked at next if it is not evaluated now.
    Duration period;
    std::optional<Duration> sooner;
  };
  // `blocker`: why it must not be managed.
  RoleAction Next(const api::Autoscaler& hpa, const std::optional<ManageBlocker>& blocker,
                  const HpaObserver::FindEvent& find, const SessionState& known);
  void Answered(const api::Autoscaler& hpa, const session::StatusAnswer& answer);
  // As Claim::Conflicted.
  void Conflicted(const std::string& version) { EnsureClaim().Conflicted(version); }

  // Whether Ballast has become the HPA's controller by the last answer.
  bool begins() const { return claim_ != nullptr && claim_->begun(); }
  // Whether Ballast is the HPA's controller, as far as is known.
  bool manages() const { return manages_ || begins(); }
  bool has_managed() const { return has_managed_; }

  // As ObserveMode::Judge.
  void Judge(const engine::Snapshot& snapshot, const engine::Decision& decision, Time now) {
    observe_mode_.Judge(snapshot, decision, now);
  }

 private:
  Claim& EnsureClaim();
  // The next step towards being, or no longer being, the HPA's controller.
  Claim::ClaimAction NextClaim(const api::Autoscaler& hpa,
                               const std::optional<ManageBlocker>& blocker,
                               const SessionState& known);
  void NoteHandOver(const api::Autoscaler& hpa);
  // Tells once of a value of the annotation that is no mode.
  void NoteMode(const api::Autoscaler& hpa, RoleAction& action);
  void StandBy(const api::Autoscaler& hpa, const HpaObserver::FindEvent& find,
               const SessionState& known, RoleAction& action);

  const session::Ports& ports_;
  const session::SessionOptions& options_;
  // Null as long as the mode was never manage and the HPA had no marks; of most HPAs.
  std::unique_ptr<Claim> claim_;
  ObserveMode observe_mode_;
  std::string misunderstood_;  // the value of the annotation, if it is no mode
  bool manages_ = false;       // the last look found that Ballast is the HPA's controller
  bool has_managed_ = false;
};

}  // namespace ballast::hpa
