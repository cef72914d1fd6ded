// Waits until the operator has written to the ledger's file.
//
// Thread-safety: one thread at a time.
// Errors: Of: those of os::FileWatch::Of. Wait: none.
#pragma once

#include <string>
#include <utility>

#include "api/base/result.h"
#include "operator/os/file_watch.h"

namespace ballast::cli {

class LedgerWatch {
 public:
  static Result<LedgerWatch> Of(const std::string& store);

  // Returns when something may have been committed since the call before: true; or when nobody
  // reads standard output any more: false.
  bool Wait();

 private:
  explicit LedgerWatch(os::FileWatch files) : files_(std::move(files)) {}

  os::FileWatch files_;
  bool look_again_ = false;
};

}  // namespace ballast::cli
