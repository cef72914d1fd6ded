#include "operator/cli/ledger/history_source.h"

#include "operator/cli/selection.h"

namespace ballast::cli {

Result<HistorySource> HistorySource::Open(bool of_file, Selection& selected, const PodOptions& pods,
                                          const std::string& subcommand) {
  HistorySource source;
  if (of_file) {
    ASSIGN_OR_RETURN(source.file_, store::Reader::Open(selected.store));
    return source;
  }
  // What is wrong with the options is said before anybody is asked.
  TRY(CheckAllNamespaces(selected.all_namespaces, !selected.of.name.empty()));
  TRY(ParseTimes(selected));
  ASSIGN_OR_RETURN(selected.of, InContext(pods, selected.of));
  ASSIGN_OR_RETURN(source.pods_, PodsHistory::Open(pods, subcommand));
  return source;
}

store::History& HistorySource::history() {
  if (file_ != nullptr) {
    return *file_;
  }
  return pods_->history();
}

}  // namespace ballast::cli
