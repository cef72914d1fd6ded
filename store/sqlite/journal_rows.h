// The rows of the journal (journal.h).
//
// Thread-safety: the Database's. Failure modes: the Database's; rows that are damaged are left out,
// and only they.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/journal.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// At most one row more, and those that may go less.
Status WriteJournal(Database& database, const JournalNotes& notes);

// The number that the next entry may have.
Result<std::int64_t> NextJournalNumber(Database& database);

// Of the file.
Result<UnsavedEntries> ReadUnsaved(Database& database);

// The autoscaler's newest evaluation until then that the journal has.
Result<std::optional<SeriesPoint>> FindInJournal(Database& database, const std::string& uid,
                                                 Time until);

// The entries of one row.
std::string PackJournal(const std::vector<JournalEntry>& entries);

}  // namespace ballast::store
