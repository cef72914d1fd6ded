// Finds out what became of attempts to write a scale whose outcome is not known: of an earlier run
// that ended in between, and of this one when the answer was lost.
//
// Thread-safety: any thread, but one policy by one thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operator/controllers/attempt.h"
#include "operator/controllers/ports.h"
#include "operator/runtime/clock.h"
#include "store/ledger.h"

namespace ballast::controllers {

class IntentRecovery {
 public:
  // All must outlive this.
  IntentRecovery(store::Ledger& ledger, ScalePort& scales, const runtime::Clock& clock)
      : ledger_(ledger), scales_(scales), clock_(clock) {}

  // The attempts that earlier runs left without an outcome, oldest first. They may have been sent
  // just before the end. Those whose snapshot cannot be read are settled here as unknown, and count
  // as written in what the ledger recalls.
  std::vector<Attempt> LeftOver(const std::string& uid);

  // Settles as unknown what earlier runs left of policies that are gone: `is_served` tells.
  void SettleOthers(const std::function<bool(const store::Subject&)>& is_served);

  // What became of the attempt, by the scale as it is now; nullopt: it is not settled yet, because
  // the scale cannot be read or because the attempt may still arrive.
  std::optional<engine::Outcome> Find(const Attempt& attempt);

 private:
  Result<Attempt> Restore(const store::OpenIntent& intent) const;
  void SettleBlindly(const store::OpenIntent& intent, const std::string& problem);

  store::Ledger& ledger_;
  ScalePort& scales_;
  const runtime::Clock& clock_;
};

}  // namespace ballast::controllers
