// Where the subcommands that read the history have it from: a file, or the ledgers of all of
// Ballast's pods.
//
// Thread-safety: main thread only.
// Errors: those of Reader::Open, InContext and pods_history.h; kInvalid: options contradict each
// other.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/cli/options.h"
#include "operator/cli/pods/pod_options.h"
#include "operator/cli/pods/pods_history.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {

class HistorySource {
 public:
  // Of the file that is selected, or of the pods: then a name without a namespace gets that of
  // kubectl's context. Standard error is told in the name of `subcommand`.
  static Result<HistorySource> Open(bool of_file, Selection& selected, const PodOptions& pods,
                                    const std::string& subcommand);

  store::History& history();
  PodsHistory* pods() { return pods_.get(); }  // null: it is a file's

  // Says on standard error which pods gave no answer. False: one gave none.
  bool TellLost() { return pods_ == nullptr || pods_->TellLost(); }

 private:
  HistorySource() = default;
  std::unique_ptr<store::Reader> file_;
  std::unique_ptr<PodsHistory> pods_;  // if there is no file
};

}  // namespace ballast::cli
