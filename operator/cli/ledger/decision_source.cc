#include "operator/cli/ledger/decision_source.h"

#include <atomic>
#include <iostream>

#include "operator/cli/ledger/history_source.h"
#include "operator/cli/selection.h"
#include "operator/cli/terminal/progress.h"

namespace ballast::cli {

void AddDecisionSource(flags::Command& command, DecisionSource& source) {
  AddSelection(command, source.selected);
  AddLimit(command, source.limit, "all");
  AddPods(command, source.pods);
}

Result<DecisionsRead> ForEachDecision(const DecisionSource& source, const std::string& subcommand,
                                      const store::History::Visit& visit) {
  Selection selected = source.selected;
  ASSIGN_OR_RETURN(auto opened,
                   HistorySource::Open(source.of_files, selected, source.pods, subcommand));
  store::History& history = opened.history();
  ASSIGN_OR_RETURN(const auto query, QueryFor(history, selected));
  ASSIGN_OR_RETURN(const auto newest, LimitTo(history, query, source.limit.value_or(0)));
  if (newest.limit) {
    std::cerr << DescribeLeftOut(*newest.limit, false, selected.zone) << "\n";
  }
  {
    std::atomic<std::int64_t> count = 0;  // Progress reads it meanwhile
    const Progress progress = DecisionsSoFar(count);
    TRY(history.ForEach(newest.query, [&](const store::FullEntry& decision) -> Status {
      if (!newest.Has(decision.entry)) {
        return Done{};
      }
      ++count;
      return visit(decision);
    }));
  }
  if (!newest.limit) {
    TRY(TellDeleted(history, query, selected.zone));
  }
  return DecisionsRead{history.damaged(), opened.TellLost()};
}

}  // namespace ballast::cli
