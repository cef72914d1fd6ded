// The condition HistoryDegraded: that not all of what is decided is, or was, kept.
//
// Thread-safety: pure function.
#pragma once

#include <optional>
#include <vector>

#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/kubernetes/meta.h"
#include "store/ledger.h"

namespace ballast::controllers {

// Sets it or removes it. The event of its beginning, if it begins.
std::optional<engine::Event> NoteHistory(const store::Health& health, Time now,
                                         std::vector<api::Condition>& conditions);

}  // namespace ballast::controllers
