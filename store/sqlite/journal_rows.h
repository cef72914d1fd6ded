// The rows of the journal (journal.h).
//
// Thread-safety: the Database's.
// Errors: the Database's. Damaged entries are no error: they are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/packing/journal.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Adds one row with the entries, if any, and deletes the rows that are no longer needed.
Status WriteJournal(Database& database, const JournalNotes& notes);

// The number for the next entry.
Result<std::int64_t> NextJournalNumber(Database& database);

// The evaluations that are in no series, from the whole journal.
Result<UnsavedEntries> ReadUnsaved(Database& database);

// The autoscaler's newest evaluation in the journal that is not after `until`.
Result<std::optional<SeriesPoint>> FindInJournal(Database& database, const std::string& uid,
                                                 Time until);

// The autoscaler's evaluations that are in no series, after `since` and not after `until`, in
// order.
Result<std::vector<SeriesPoint>> ReadUnsavedOf(Database& database, const std::string& uid,
                                               Time since, Time until);

// The data of a row with these entries.
std::string PackJournal(const std::vector<JournalEntry>& entries);

}  // namespace ballast::store
