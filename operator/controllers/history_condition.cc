#include "operator/controllers/history_condition.h"

#include <string>

#include "operator/engine/conditions.h"

namespace ballast::controllers {

std::optional<engine::Event> NoteHistory(const store::LedgerHealth& health, bool lacks_records,
                                         Time now, std::vector<api::Condition>& conditions) {
  const bool before = engine::IsTrue(conditions, api::kHistoryDegraded);
  std::string reason;
  std::string message;
  if (health.problem) {
    reason = Name(health.problem->code);
    message = "decisions are kept in memory only: " + health.problem->message;
  } else if (!health.set_aside.empty()) {
    reason = "DatabaseReplaced";
    message =
        "the damaged database was moved to " + health.set_aside + "; it has the earlier history";
  } else {
    if (!lacks_records) {
      engine::Conditions(conditions, now).Remove(api::kHistoryDegraded);
    }
    return std::nullopt;
  }
  engine::Conditions(conditions, now).True(api::kHistoryDegraded, reason, message);
  return before ? std::nullopt
                : std::optional(engine::Event{"Warning", api::kHistoryDegraded, message});
}

}  // namespace ballast::controllers
