#include "store/sqlite/gap_facts.h"

#include "store/sqlite/processes.h"

namespace ballast::store {
namespace {

Result<bool> EvaluatedBetween(Database& database, Time from, Time to, const Heartbeat& heartbeat) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT 1 FROM autoscalers a CROSS JOIN decisions d ON d.id = (SELECT id"
                       " FROM decisions WHERE autoscaler = a.id AND time < ?2 ORDER BY time"
                       " DESC, id DESC LIMIT 1)"
                       " WHERE coalesce(d.until, max(d.time, ?3)) > ?1 LIMIT 1"));
  rows.Bind(from, to, heartbeat.evaluated);
  return rows.Step();
}

}  // namespace

Result<GapFacts> ReadGapFacts(Database& database, const Subject* subject, Time from, Time to,
                              const Heartbeat& heartbeat) {
  GapFacts facts;
  ASSIGN_OR_RETURN(const auto terms, OtherTerms(database, from, to));
  if (!terms.empty()) {
    facts.leader = terms.back().leader;
  }
  ASSIGN_OR_RETURN(const Down down, Downtime(database, from, to, terms));
  facts.down = down.span;
  facts.in_vain = down.in_vain;
  ASSIGN_OR_RETURN(facts.others, EvaluatedBetween(database, from, to, heartbeat));
  if (subject != nullptr) {
    ASSIGN_OR_RETURN(facts.unserved, WasUnserved(database, subject->key.namespace_, from, to));
    ASSIGN_OR_RETURN(facts.delay, FindDelay(database, subject->uid, from, to));
  }
  return facts;
}

}  // namespace ballast::store
