// The histories in the files of several ledgers, as one: those of two replicas, copied to one
// place.
//
// Thread-safety: main thread only.
// Errors: those of Reader::Open and of its calls; kInvalid: two files are copies of one ledger,
// whose decisions would count twice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/ledger/lost_ledgers.h"
#include "operator/explain/merged_history.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {

class FilesHistory {
 public:
  static Result<std::unique_ptr<FilesHistory>> Open(const std::vector<std::string>& paths,
                                                    const std::string& subcommand);

  // Each ledger has the name of the pod that wrote it, or of the file where that is not known or
  // not enough to tell them apart.
  explain::MergedHistory& history() { return history_; }

  // Says on standard error which files could not be read to their ends. False: one could not.
  bool TellLost() { return lost_.TellOf(history_); }

 private:
  using Files = std::vector<std::unique_ptr<store::Reader>>;
  FilesHistory(Files files, const std::vector<std::string>& names, const std::string& subcommand);

  const Files files_;
  explain::MergedHistory history_;
  LostLedgers lost_;
};

}  // namespace ballast::cli
