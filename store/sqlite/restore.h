// Puts a copy of the store in the place of the store, at once or when the operator starts next.
//
// Thread-safety: any thread, one call at a time for the same store.
// Errors: those of BackUp (backup.h), FileLock and CheckFileSystem (files.h), SetAside
// (set_aside.h); kConflict: an operator has the store open; kFull also: the copy does not fit
// beside the store.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>

#include "api/base/result.h"

namespace ballast::store {

// What a restore needs beside the store until the end, and what is free there.
struct Room {
  std::uintmax_t needed = 0;
  std::uintmax_t free = 0;
};
// "takes 34 MB beside the store, where 7000 MB are free".
std::string Describe(const Room& room);

struct RestoreOptions {
  // Leave the copy beside the store, for the operator that has the store open to put in its place
  // when it starts next (RestoreWaiting). There waits one at most: the last.
  bool at_start = false;
  // Called before anything is written.
  std::function<void(const Room&)> tell;
};

struct Restored {
  std::string former;    // where the store that was replaced was moved to; empty: it is nowhere
  bool removed = false;  // it did not fit, and so it is nowhere
};

// Replaces the store at `to` by the one at `from`, as that is at one moment; `from` may be written
// meanwhile, `to` must not be. The copy is OwnPartialOf(to) (partial_files.h) until it is checked
// and on disk; from then on it waits, so that the next start of an operator completes what a kill
// interrupted.
//
// Stores that were replaced are set aside ("replaced"), as long as the copy fits, and the store has
// as much room to grow as the one that it replaced takes: else they are removed, the oldest first.
Result<Restored> Restore(const std::string& from, const std::string& to,
                         const RestoreOptions& options = {});

// The same with a copy that a stream of that name has (OpenCopy). What is not one is refused at its
// beginning; kCorrupt also: it is not all there.
Result<Restored> Restore(std::istream& from, const std::string& name, const std::string& to,
                         const RestoreOptions& options = {});

// Puts the copy that waits in the place of the store at `to`, whose lock the caller holds. nullopt:
// none waits.
Result<std::optional<Restored>> RestoreWaiting(const std::string& to);

}  // namespace ballast::store
