// A copy of the store's file, made while the operator writes it. Only reads the original: it never
// becomes a second writer. What a killed process left of one is removed by RemovePartials
// (partial_files.h).
//
// Thread-safety: any thread, but one OpenCopy at a time of the same file.
// Errors: those of Reader::Open; kInvalid (the file is empty, or the copy exists already or cannot
// have that name), kFull and kUnavailable (the copy cannot be written), kCorrupt (it is damaged).
#pragma once

#include <fstream>
#include <string>

#include "api/base/result.h"

namespace ballast::store {

// Writes the database at `from`, as it is at one moment, to the new file `to`. The copy is checked,
// on disk, and then given that name.
Status BackUp(const std::string& from, const std::string& to);

// Writes such a copy to `to` at once, as the file that is being written. Checked, and on disk.
Status WriteCopy(const std::string& from, const std::string& to);

// Checks a copy, and that it is on disk.
Status CheckCopy(const std::string& path);

// Makes such a copy beside the original and opens it: SQLite does not write a copy in the order of
// the file, so it cannot be streamed. The copy has no name by the time this returns, so nothing is
// left however the process ends.
Result<std::ifstream> OpenCopy(const std::string& from);

}  // namespace ballast::store
