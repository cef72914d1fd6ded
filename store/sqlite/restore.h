// Puts a copy of the store in the place of the store.
//
// Thread-safety: any thread, one call at a time for the same store.
// Errors: those of BackUp (backup.h), FileLock and CheckFileSystem (files.h), SetAside
// (set_aside.h).
#pragma once

#include <string>

#include "api/base/result.h"

namespace ballast::store {

// Replaces the store at `to` by the one at `from`, as that is at one moment; `from` may be written
// meanwhile, `to` must not be. The copy is checked and on disk before anything changes; killed at
// any moment, this leaves one of the two in place, or neither and both beside it. Returns where the
// former store was moved to (SetAside, "replaced"); empty: there was none. kConflict: an operator
// has `to` open. kInvalid: both are the same file. The copy is PartialOf(to) until
// then (partial_files.h).
Result<std::string> Restore(const std::string& from, const std::string& to);

}  // namespace ballast::store
