#include "store/paged_history.h"

#include <utility>

namespace ballast::store {

Status PagedHistory::ForEachPart(const HistoryQuery& query, const Place& from,
                                 const VisitPart& visit) {
  for (std::optional<Place> place = from; place;) {
    ASSIGN_OR_RETURN(EntryPage page, ReadEntryPage(query, *place));
    place = page.next;
    TRY(visit(std::move(page.entries), page.until));
  }
  return Done{};
}

Status PagedHistory::ForEach(const HistoryQuery& query, const Visit& visit) {
  for (std::optional<AutoscalerPlace> place = AutoscalerPlace(); place;) {
    ASSIGN_OR_RETURN(const DecisionPage page, ReadDecisionPage(query, *place));
    place = page.next;
    for (const FullEntry& decision : page.items) {
      TRY(visit(decision));
    }
  }
  return Done{};
}

Status PagedHistory::ForEachEvaluation(const HistoryQuery& query, const VisitEvaluation& visit) {
  for (std::optional<AutoscalerPlace> place = AutoscalerPlace(); place;) {
    ASSIGN_OR_RETURN(const EvaluationPage page, ReadEvaluationPage(query, *place));
    place = page.next;
    for (const Evaluation& evaluation : page.items) {
      TRY(visit(evaluation.subject, evaluation.point));
    }
  }
  return Done{};
}

}  // namespace ballast::store
