#include "operator/session/ledger_trouble.h"

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"

namespace ballast::session {

std::optional<engine::LedgerTrouble> TroubleOf(const store::LedgerHealth& health,
                                               bool lacks_records,
                                               const std::vector<api::Condition>& conditions) {
  if (health.problem) {
    return engine::LedgerTrouble{Name(health.problem->code),
                                 "decisions are kept in memory only: " + health.problem->message};
  }
  if (!health.set_aside.empty()) {
    return engine::LedgerTrouble{
        "DatabaseReplaced",
        "the damaged database was moved to " + health.set_aside + "; it has the earlier history"};
  }
  if (lacks_records && engine::IsTrue(conditions, api::kHistoryDegraded)) {
    const api::Condition* told = engine::Find(conditions, api::kHistoryDegraded);
    return engine::LedgerTrouble{told->reason, told->message};
  }
  return std::nullopt;
}

}  // namespace ballast::session
