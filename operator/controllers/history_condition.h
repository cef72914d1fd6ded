// The condition HistoryDegraded: decisions are kept in memory only, or a damaged database was
// replaced.
#pragma once

#include <optional>
#include <vector>

#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/kubernetes/meta.h"
#include "store/ledger.h"

namespace ballast::controllers {

// Sets or removes the condition. Returns the event to emit when it becomes True. `lacks_records`:
// the ledger lacks some of an earlier process, whose condition is kept: a restart before the
// present records are on disk must learn of it, too.
std::optional<engine::Event> NoteHistory(const store::LedgerHealth& health, bool lacks_records,
                                         Time now, std::vector<api::Condition>& conditions);

}  // namespace ballast::controllers
