// Settles the attempts of an autoscaler's evaluations to write its scale: finds out by the present
// scale (intent_recovery.h) what became of each whose outcome is unknown. At most one of them can
// have set the present replicas; and if another process, or this one for another autoscaler, may
// have set them, none is credited.
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
// Errors: none; what cannot be found out yet stays unsettled.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "api/autoscaling/types.h"
#include "api/decision/decision.h"
#include "operator/session/attempt.h"
#include "operator/session/ports.h"
#include "operator/session/requests.h"
#include "operator/session/session_options.h"

namespace ballast::session {

class AttemptSettler {
 public:
  // The arguments must outlive the AttemptSettler.
  AttemptSettler(const Ports& ports, const SessionOptions& options, Attempts& attempts)
      : ports_(ports), options_(options), attempts_(attempts) {}

  // Whether Settle() needs what the API server has stored of the autoscaler, as long as this
  // process has not written its status.
  bool NeedsStored(const api::Autoscaler& autoscaler) const {
    return !others_led_ && HasLeftOver() && !OthersLed(autoscaler, std::nullopt);
  }
  // Of whose target Settle() needs the live scale: the oldest attempt's autoscaler; null: there is
  // no attempt.
  std::shared_ptr<const api::Autoscaler> NeedsLive() const;
  // Ends the attempts whose outcome can be found out now with what was read, and calls `conclude`
  // for each.
  using Conclude = std::function<void(const Attempt&, const engine::Outcome&)>;
  void Settle(const api::Autoscaler& autoscaler, const MetricsAnswer& read,
              const Conclude& conclude);

  // The outcome of the newest attempt, by an answer that does not tell, if it can be found out now.
  std::optional<engine::Outcome> OutcomeOf(const api::Autoscaler& autoscaler,
                                           const ScaleAnswer& answer);

  // The status, which says whether others have led, is replaced from now on. If it could not be
  // read until now, they may have.
  void StatusIsReplaced();

 private:
  std::optional<engine::Outcome> ReadBack(const Attempt& attempt, const LiveScale& live) const;
  bool HasLeftOver() const { return !attempts_.empty() && attempts_[0].left_over; }
  // Whether another replica has led since the last process with this store, or processes with it
  // could not record what they did. `stored`: as it was read; nullopt: it does not say.
  std::optional<bool> OthersLed(const api::Autoscaler& autoscaler,
                                const std::optional<Result<StoredAutoscaler>>& stored) const;

  const Ports& ports_;
  const SessionOptions& options_;
  Attempts& attempts_;
  std::optional<bool> others_led_;  // as OthersLed() said first; only for left-over attempts
};

}  // namespace ballast::session
