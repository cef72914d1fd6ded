// Settles the attempts of an autoscaler's evaluations to write its scale: finds out by the present
// scale (intent_recovery.h) what became of each whose outcome is unknown. At most one of them can
// have set the present replicas; and if another process, or this one for another autoscaler, may
// have set them, none is credited.
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
// Errors: none; what cannot be found out yet stays unsettled.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/autoscaling/types.h"
#include "api/decision/decision.h"
#include "operator/session/attempt.h"
#include "operator/session/intent_recovery.h"
#include "operator/session/ports.h"
#include "operator/session/session_options.h"

namespace ballast::session {

class AttemptSettler {
 public:
  // The arguments must outlive the AttemptSettler.
  AttemptSettler(const Ports& ports, const SessionOptions& options, Attempts& attempts)
      : ports_(ports),
        options_(options),
        recovery_(ports.ledger, ports.scale, ports.clock),
        attempts_(attempts) {}

  // Ends the attempts whose outcome can be found out now, and calls `conclude` for each.
  using Conclude = std::function<void(const Attempt&, const engine::Outcome&)>;
  void Settle(const api::Autoscaler& autoscaler, const Conclude& conclude);

  // The outcome of the newest attempt, whose answer was lost, if it can be found out now.
  std::optional<engine::Outcome> FindOutcome(const api::Autoscaler& autoscaler,
                                             const std::string& lost);

  // The status, which says whether others have led, is replaced from now on. If it could not be
  // read until now, they may have.
  void StatusIsReplaced();

 private:
  std::optional<engine::Outcome> ReadBack(const Attempt& attempt);
  bool HasLeftOver() const { return !attempts_.empty() && attempts_[0].left_over; }
  // Whether another replica has led since the last process with this store, or processes with it
  // could not record what they did; nullopt: the API server does not say.
  std::optional<bool> OthersLed(const api::Autoscaler& autoscaler);

  const Ports& ports_;
  const SessionOptions& options_;
  IntentRecovery recovery_;
  Attempts& attempts_;
  std::optional<bool> others_led_;  // as OthersLed() said first; only for left-over attempts
};

}  // namespace ballast::session
