// Settles the intents that an earlier run of the operator left without an outcome.
//
// Thread-safety: an intent's autoscaler must not be evaluated at the same time.
#pragma once

#include <string>

#include "api/result.h"
#include "operator/controllers/targets.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"
#include "store/ledger.h"

namespace ballast::controllers {

struct Settling {
  store::Ledger& ledger;
  Targets& targets;
  kube::Client& client;
  const runtime::Clock& clock;
};

// Reads the scale (read_back.h), and decides and concludes the recorded snapshot with what came of
// it, so that the memory is what an uninterrupted run would have. If the target is gone, the write
// counts as failed. An error leaves the intent open: the API server cannot be asked at present.
Status SettleIntent(const Settling& on, const store::OpenIntent& intent);

// All of them, before the first evaluation. Those that stay open are settled by the reconciler.
void SettleIntents(const Settling& on);

// Those of one autoscaler, before it is evaluated. True: there were some.
Result<bool> SettleIntentsOf(const Settling& on, const std::string& uid);

}  // namespace ballast::controllers
