#include "operator/explain/deleted.h"

#include <optional>

#include "api/base/time.h"

namespace ballast::explain {

Result<std::string> DescribeDeleted(store::History& history, const store::HistoryQuery& query) {
  ASSIGN_OR_RETURN(const auto reach, history.HowFarBack(query));
  if (!reach || !reach->deleted || (query.since && *query.since >= reach->since)) {
    return std::string();
  }
  return " (what was evaluated in its namespace before " + Print(reach->since) +
         " was deleted: " + kRetentionFlags + ")";
}

}  // namespace ballast::explain
