// Settles, at the start of the operator, the intents that an earlier run left without an outcome.
//
// Thread-safety: call once, before the first evaluation.
#pragma once

#include "operator/controllers/targets.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"
#include "store/ledger.h"

namespace ballast::controllers {

// For each: the scale is read (read_back.h), and the recorded snapshot is decided and concluded
// with what came of it, so that the memory is what an uninterrupted run would have.
void SettleIntents(store::Ledger& ledger, Targets& targets, kube::Client& client,
                   const runtime::Clock& clock);

}  // namespace ballast::controllers
