#include "operator/cli/ledger/decision_source.h"

#include <atomic>
#include <iostream>

#include "operator/cli/selection.h"
#include "operator/cli/terminal/progress.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {
namespace {

Result<DecisionsRead> ForEachOfFile(const DecisionSource& source, const VisitDecision& visit) {
  ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(source.selected.store));
  ASSIGN_OR_RETURN(const auto query, QueryFor(*reader, source.selected));
  ASSIGN_OR_RETURN(const auto newest, LimitTo(*reader, query, source.limit.value_or(0)));
  if (newest.limit) {
    std::cerr << DescribeLeftOut(*newest.limit, false, source.selected.zone) << "\n";
  }
  std::atomic<std::int64_t> count = 0;  // Progress reads it meanwhile
  const Progress progress = DecisionsSoFar(count);
  TRY(reader->ForEach(newest.query, [&](const store::FullEntry& decision) -> Status {
    if (!newest.Has(decision.entry)) {
      return Done{};
    }
    ++count;
    return visit({decision.entry, decision.documents, decision.reasons, ""});
  }));
  if (!newest.limit) {
    TRY(TellDeleted(*reader, query, source.selected.zone));
  }
  return DecisionsRead{reader->damaged(), true};
}

Result<DecisionsRead> ForEachOfPods(const DecisionSource& source, const std::string& subcommand,
                                    const VisitDecision& visit) {
  ASSIGN_OR_RETURN(auto words, WordsFor(source.pods, source.selected));
  if (source.limit) {
    words.push_back("--limit=" + std::to_string(*source.limit));
  }
  ASSIGN_OR_RETURN(const bool whole, ForEachDecisionOfPods(source.pods, subcommand, words, visit));
  return DecisionsRead{0, whole};
}

}  // namespace

void AddDecisionSource(flags::Command& command, DecisionSource& source) {
  AddSelection(command, source.selected);
  AddLimit(command, source.limit, "all");
  AddPods(command, source.pods);
}

Result<DecisionsRead> ForEachDecision(const DecisionSource& source, const std::string& subcommand,
                                      const VisitDecision& visit) {
  return source.of_file ? ForEachOfFile(source, visit) : ForEachOfPods(source, subcommand, visit);
}

}  // namespace ballast::cli
