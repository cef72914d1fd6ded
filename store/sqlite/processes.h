// The processes that wrote the file, and late evaluations: what explains times in which nothing was
// evaluated.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/fold/batch.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Records the process that opens the file for writing, with the heartbeat that it finds there.
Status InsertProcess(Database& database, const Process& process);

Status InsertDelay(Database& database, const DelayAdded& noted);

// A time in which another replica led, as far as the writer of the file knows.
struct OtherTerm {
  std::string leader;
  Time since;
  Time until;
};

// What is recorded by a clock that was set, and is about a time in which autoscalers were evaluated
// after all, is in none of these.

// Those that overlap that time, in the order in which they were recorded.
Result<std::vector<OtherTerm>> OtherTerms(Database& database, Time from, Time to);

struct Down {
  Duration span;         // at least
  bool in_vain = false;  // a process evaluated nothing before the next one started
};

// For how long between `from` and `to` no process ran that writes the file. One that let another
// replica lead (`terms`, in order) ran, though it evaluated nothing. How long one ran that
// evaluated nothing for other reasons is not known.
Result<Down> Downtime(Database& database, Time from, Time to, const std::vector<OtherTerm>& terms);

// Whether a process that ran between `from` and `to` did not serve the namespace.
Result<bool> WasUnserved(Database& database, const std::string& namespace_, Time from, Time to);

// Reads, from `column` on: since, time, took, slowest.
Delay DelayAt(const Statement& row, int column);

// The longest delay of the autoscaler that overlaps that time.
Result<std::optional<Delay>> FindDelay(Database& database, const std::string& uid, Time from,
                                       Time to);

}  // namespace ballast::store
