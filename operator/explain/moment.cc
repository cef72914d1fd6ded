#include "operator/explain/moment.h"

#include <utility>

#include "api/autoscaling/types.h"
#include "api/decision/engine_version.h"
#include "operator/explain/recorded_decision.h"

namespace ballast::explain {
namespace {

// If this engine decides another count from the inputs, its reasons do not explain the recorded
// one.
std::string Disagreement(const Explanation& inputs, const store::Entry& entry) {
  return "the engine that is asked (version " + std::to_string(engine::kEngineVersion) +
         ") makes " + std::to_string(Wish(inputs.decision, entry)) +
         " replicas of the recorded inputs, where " +
         (entry.engine == engine::kEngineVersion ? "the same version"
                                                 : "version " + std::to_string(entry.engine)) +
         " made " + std::to_string(entry.desired_replicas) + " (see ballast replay)";
}

Result<store::HistoryAt> LookUp(store::History& history, store::HistoryQuery query, Time at) {
  if (!query.kind.empty()) {
    return history.Look(query, at);
  }
  query.kind = api::kPolicyKind;
  ASSIGN_OR_RETURN(auto of_policy, history.Look(query, at));
  if (of_policy.last) {
    return of_policy;
  }
  query.kind = api::kHpaKind;
  ASSIGN_OR_RETURN(auto of_hpa, history.Look(query, at));
  return of_hpa.last || !of_policy.next ? of_hpa : of_policy;
}

// Runs the kept inputs again, if there are any that explain the decision.
void AddInputs(store::HistoryAt& found, Moment& moment) {
  if (moment.decided->made_by == store::MadeBy::kRefused) {
    moment.inputs_problem = "nothing was evaluated, so there is nothing that it was decided from";
    return;
  }
  if (moment.decided->made_by == store::MadeBy::kObserved) {
    moment.inputs_problem = "another controller decided; Ballast only observed it";
    return;
  }
  if (found.reason) {
    found.kept = EntryOf(*moment.decided, *found.reason);
    found.kept_snapshot = std::move(found.reason->documents.snapshot);
  }
  if (!found.kept) {
    moment.inputs_problem = "no inputs were kept of this decision or of one before it";
    return;
  }
  auto inputs = Explain(found.kept_snapshot, *found.kept);
  if (!inputs.ok()) {
    moment.inputs_problem = inputs.error().message;
    return;
  }
  if (!Agrees(inputs->decision, *found.kept)) {
    moment.inputs_problem = Disagreement(*inputs, *found.kept);
    return;
  }
  moment.inputs = std::move(inputs).value();
  moment.inputs_of = std::move(found.kept);
}

}  // namespace

bool Moment::HadAnotherReason() const {
  const store::Entry& told = HasItsInputs() ? *inputs_of : *decided;
  return recorded && point && point->time > told.time && point->reason != told.reason;
}

Result<Moment> LookBack(store::History& history, const store::HistoryQuery& query, Time at,
                        Time now) {
  Moment moment{.key = *query.key, .at = at};
  ASSIGN_OR_RETURN(auto found, LookUp(history, query, at));
  moment.next = std::move(found.next);
  moment.decided = std::move(found.last);
  moment.timeline = found.timeline;
  moment.point = std::move(found.point);
  moment.foreign_change = std::move(found.foreign_change);
  moment.edits = std::move(found.edits);
  if (!moment.decided) {
    ASSIGN_OR_RETURN(const auto reach, history.HowFarBack(query));
    if (reach && reach->deleted && at < reach->since) {
      moment.deleted_until = reach->since;
    }
    return moment;
  }
  AddInputs(found, moment);
  const store::Entry& last = *moment.decided;
  if (moment.point && moment.point->current_replicas != last.current_replicas) {
    moment.point.reset();  // of another run: their times overlap where the clock was set back
  }
  const Time known = last.known_until();
  moment.recorded = at <= known || (moment.next && moment.next->time <= known);
  if (!moment.recorded) {
    const Time to = moment.next ? moment.next->time : now;
    ASSIGN_OR_RETURN(
        std::string cause,
        ExplainGap(history, query, last, moment.next ? &*moment.next : nullptr, known, to));
    moment.gap = Gap{last.until, to, std::move(cause)};
  }
  return moment;
}

}  // namespace ballast::explain
