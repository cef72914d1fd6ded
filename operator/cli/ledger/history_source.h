// Where the subcommands that read the history have it from: a file or several, or the ledgers of
// all of Ballast's pods.
//
// Thread-safety: main thread only.
// Errors: those of Reader::Open, files_history.h, InContext and pods_history.h; kInvalid: options
// contradict each other.
#pragma once

#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/cli/ledger/files_history.h"
#include "operator/cli/options.h"
#include "operator/cli/pods/pod_options.h"
#include "operator/cli/pods/pods_history.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {

class HistorySource {
 public:
  // Of the files that are selected, or of the pods: then a name without a namespace gets that of
  // kubectl's context. Standard error is told in the name of `subcommand`.
  static Result<HistorySource> Open(bool of_files, Selection& selected, const PodOptions& pods,
                                    const std::string& subcommand);

  store::History& history();
  explain::MergedHistory* merged();            // null: it is one file's
  PodsHistory* pods() { return pods_.get(); }  // null: it is that of files

  // Says on standard error which ledgers gave no answer. False: one gave none.
  bool TellLost();

 private:
  HistorySource() = default;
  // One of these.
  std::unique_ptr<store::Reader> file_;
  std::unique_ptr<FilesHistory> files_;
  std::unique_ptr<PodsHistory> pods_;
};

}  // namespace ballast::cli
