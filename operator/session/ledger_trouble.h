// What the engine makes the condition HistoryDegraded of.
#pragma once

#include <optional>
#include <vector>

#include "api/decision/snapshot.h"
#include "api/kubernetes/meta.h"
#include "store/ledger.h"

namespace ballast::session {

// `conditions`: the policy's so far. `lacks_records`: the ledger lacks some of an earlier process,
// whose condition is kept: a restart before the present records are on disk must learn of it, too.
std::optional<engine::LedgerTrouble> TroubleOf(const store::LedgerHealth& health,
                                               bool lacks_records,
                                               const std::vector<api::Condition>& conditions);

}  // namespace ballast::session
