#include "operator/cli/ledger/lost_ledgers.h"

#include <iostream>

#include "operator/cli/terminal/one_line.h"

namespace ballast::cli {

void LostLedgers::Tell(const std::string& problem) {
  if (told_.insert(problem).second) {
    std::cerr << "ballast " << subcommand_ << ": " << OneLine(problem) << "\n";
  }
}

bool LostLedgers::TellOf(const explain::MergedHistory& history) {
  bool all = true;
  for (const auto& ledger : history.ledgers()) {
    if (ledger.lost) {
      Tell(ledger.lost->message);
      all = false;
    }
  }
  return all;
}

}  // namespace ballast::cli
