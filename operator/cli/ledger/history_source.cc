#include "operator/cli/ledger/history_source.h"

#include "operator/cli/selection.h"

namespace ballast::cli {

Result<HistorySource> HistorySource::Open(bool of_files, Selection& selected,
                                          const PodOptions& pods, const std::string& subcommand) {
  HistorySource source;
  if (of_files && selected.stores.size() == 1) {
    ASSIGN_OR_RETURN(source.file_, store::Reader::Open(selected.stores.front()));
    return source;
  }
  if (of_files) {
    ASSIGN_OR_RETURN(source.files_, FilesHistory::Open(selected.stores, subcommand));
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
  return *merged();
}

explain::MergedHistory* HistorySource::merged() {
  return pods_ != nullptr ? &pods_->history() : files_ != nullptr ? &files_->history() : nullptr;
}

bool HistorySource::TellLost() {
  return pods_ != nullptr ? pods_->TellLost() : files_ == nullptr || files_->TellLost();
}

}  // namespace ballast::cli
