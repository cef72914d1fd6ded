// Attempts to write a scale for which no outcome is on record: those of an earlier run that ended
// before it recorded one, and those of this run whose answer was lost.
//
// Thread-safety: any thread; one thread at a time for each autoscaler.
// Errors: none; what cannot be found out yet is nullopt, and what never can be is recorded as
// unknown.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operator/process/clock.h"
#include "operator/session/attempt.h"
#include "operator/session/requests.h"
#include "store/ledger.h"

namespace ballast::session {

// The outcome of the attempt, judged by the scale of its target. nullopt: not settled yet, because
// the scale could not be read, or was before the attempt, or the write may still arrive.
std::optional<engine::Outcome> FindOutcome(const Attempt& attempt, const LiveScale& live);

class IntentRecovery {
 public:
  // The arguments must outlive the IntentRecovery.
  IntentRecovery(store::Ledger& ledger, const process::Clock& clock)
      : ledger_(ledger), clock_(clock) {}

  // The autoscaler's attempts of earlier runs that have no outcome, oldest first; they may have
  // been sent just before that run ended. Those whose snapshot cannot be read are settled here as
  // unknown, and count as written in what the ledger recalls.
  std::vector<Attempt> LeftOver(const std::string& uid);

  // Settles as unknown the attempts of earlier runs for autoscalers that are gone: those for which
  // `is_served` is false.
  void SettleAbandoned(const std::function<bool(const store::Subject&)>& is_served);

 private:
  Result<Attempt> Restore(const store::OpenIntent& intent) const;
  void SettleAsUnknown(const store::OpenIntent& intent, const std::string& problem);

  store::Ledger& ledger_;
  const process::Clock& clock_;
};

}  // namespace ballast::session
