// The processes that wrote the file, and evaluations that came late: what explains times in which
// nothing was evaluated.
//
// Thread-safety and failure modes: the Database's.
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

// The process that opens the file for writing, with the heartbeat that it finds there.
Status InsertProcess(Database& database, const Process& process);

Status InsertDelay(Database& database, const DelayNoted& noted);

// In this time, for how long none ran that writes the file.
Result<Duration> Downtime(Database& database, Time from, Time to);

// Whether a process that ran in this time did not serve the namespace.
Result<bool> WasUnserved(Database& database, const std::string& namespace_, Time from, Time to);

// The longest pause of this time that was a late evaluation of the autoscaler.
Result<std::optional<Delay>> FindDelay(Database& database, const std::string& uid, Time from,
                                       Time to);

}  // namespace ballast::store
