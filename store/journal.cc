#include "store/journal.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ballast::store {

void JournalNotes::Append(JournalNotes later) {
  std::ranges::move(later.entries, std::back_inserter(entries));
  keep_from = std::max(keep_from, later.keep_from);
}

// FNV-1a, which is the same on every machine. Never change it: the hashes are on disk.
std::uint64_t WhoIs(std::string_view uid) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : uid) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

std::int64_t Journal::Add(const std::string& uid, SeriesPoint point) {
  notes_.entries.push_back({next_, WhoIs(uid), std::move(point)});
  return next_++;
}

void Journal::Saved(const std::string& uid) {
  notes_.entries.push_back({next_++, WhoIs(uid), std::nullopt});
}

JournalNotes Journal::Take() { return std::exchange(notes_, {}); }

}  // namespace ballast::store
