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
#include "store/batch.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Records the process that opens the file for writing, with the heartbeat that it finds there.
Status InsertProcess(Database& database, const Process& process);

Status InsertDelay(Database& database, const DelayNoted& noted);

// For how long between `from` and `to` no process ran that writes the file.
Result<Duration> Downtime(Database& database, Time from, Time to);

// Whether a process that ran between `from` and `to` did not serve the namespace.
Result<bool> WasUnserved(Database& database, const std::string& namespace_, Time from, Time to);

// The longest delay of the autoscaler that overlaps that time.
Result<std::optional<Delay>> FindDelay(Database& database, const std::string& uid, Time from,
                                       Time to);

}  // namespace ballast::store
