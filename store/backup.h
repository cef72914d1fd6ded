// A copy of the ledger's file, made while the operator writes it.
//
// Thread-safety: free function. It reads the original like every reader and never becomes a second
// writer of it.
#pragma once

#include <string>

#include "api/result.h"

namespace ballast::store {

// Writes the database at `from`, as it is at one moment, to the new file `to`; checked and on disk
// when it returns, and only then under that name. kInvalid when `to` exists; kFull, kUnavailable
// when it cannot be written; otherwise Reader::Open's.
Status BackUp(const std::string& from, const std::string& to);

}  // namespace ballast::store
