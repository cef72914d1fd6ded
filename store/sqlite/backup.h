// A copy of the ledger's file, made while the operator writes it.
//
// Thread-safety: free function. It reads the original like every reader and never becomes a second
// writer of it.
#pragma once

#include <fstream>
#include <string>

#include "api/base/result.h"

namespace ballast::store {

// Writes the database at `from`, as it is at one moment, to the new file `to`; checked and on disk
// when it returns, and only then under that name. kInvalid when `to` exists; kFull, kUnavailable
// when it cannot be written; otherwise Reader::Open's.
Status BackUp(const std::string& from, const std::string& to);

// The same, to be read at once: made beside the original, for SQLite writes a copy in no particular
// order, and without a name, so that nothing of it is left however the process ends.
Result<std::ifstream> OpenCopy(const std::string& from);

// Removes what is left where a process was killed while it made such a copy. One that is being made
// fails.
void RemoveCopies(const std::string& of);

}  // namespace ballast::store
