#include "operator/cli/ledger/ledger_watch.h"

#include <unistd.h>

#include <optional>

namespace ballast::cli {
namespace {

using Wake = os::FileWatch::Wake;

// A commit is several writes: those that follow each other this closely are waited for together,
// that often at most.
constexpr Duration kPause = Duration::Milliseconds(50);
constexpr int kMostPauses = 10;
// What is written becomes visible when the disk has it, of which no event tells: so after the last
// write there is one more look.
constexpr Duration kLastLook = Duration::Seconds(1);

}  // namespace

Result<LedgerWatch> LedgerWatch::Of(const std::string& store) {
  ASSIGN_OR_RETURN(auto files, os::FileWatch::Of(store, "-wal"));
  return LedgerWatch(std::move(files));
}

bool LedgerWatch::Wait() {
  Wake wake = files_.Wait(look_again_ ? std::optional(kLastLook) : std::nullopt, STDOUT_FILENO);
  look_again_ = wake == Wake::kChanged;
  for (int i = 0; wake == Wake::kChanged && i < kMostPauses; ++i) {
    wake = files_.Wait(kPause, STDOUT_FILENO);
  }
  return wake != Wake::kNoReader;
}

}  // namespace ballast::cli
