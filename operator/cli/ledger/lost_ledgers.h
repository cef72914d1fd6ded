// Says on standard error, in the name of a subcommand, what is missing of a history of several
// ledgers: of each problem once.
//
// Thread-safety: main thread only.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "operator/explain/merged_history.h"

namespace ballast::cli {

class LostLedgers {
 public:
  explicit LostLedgers(std::string subcommand) : subcommand_(std::move(subcommand)) {}

  void Tell(const std::string& problem);
  // Which ledgers gave no answer. False: one gave none.
  bool TellOf(const explain::MergedHistory& history);

 private:
  const std::string subcommand_;
  std::set<std::string> told_;
};

}  // namespace ballast::cli
