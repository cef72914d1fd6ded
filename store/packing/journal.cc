#include "store/packing/journal.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/base/stable_hash.h"

namespace ballast::store {

void JournalNotes::Append(JournalNotes later) {
  std::ranges::move(later.entries, std::back_inserter(entries));
  keep_from = std::max(keep_from, later.keep_from);
}

std::int64_t Journal::Add(const std::string& uid, SeriesPoint point) {
  notes_.entries.push_back({next_, StableHash(uid), std::move(point)});
  return next_++;
}

void Journal::Saved(const std::string& uid) {
  notes_.entries.push_back({next_++, StableHash(uid), std::nullopt});
}

JournalNotes Journal::Take() { return std::exchange(notes_, {}); }

}  // namespace ballast::store
