// The journal: what the newest evaluations of all autoscalers saw. Each commit adds one row with
// those since the last one, so that no crash loses any; minutes later they are in tracks
// (evaluation_series.h), which take less room, and the rows go.
//
// The ledger numbers and gathers entries (Journal), a back end puts what was gathered into a row
// (journal_rows.h), whose id is the number of its last entry. An entry is an evaluation, or says
// that all of its autoscaler's before it are in tracks: so a restart knows which are not, whatever
// the clock did. Entries begin with a hash of the uid (of 64 bits: no two of a store are the same)
// and their length, so that those of others are passed over unread.
//
// Thread-safety: plain values; a Journal is one thread's at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/evaluation_series.h"

namespace ballast::store {

struct JournalEntry {
  std::int64_t number = 0;
  std::uint64_t who = 0;             // WhoIs(uid)
  std::optional<SeriesPoint> point;  // absent: all of its entries before this one are in tracks
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

// What goes to disk with a commit.
struct JournalNotes {
  std::vector<JournalEntry> entries;
  std::int64_t keep_from = 0;  // entries before this number are all in tracks

  bool empty() const { return entries.empty() && keep_from == 0; }
  void Append(JournalNotes later);
  friend bool operator==(const JournalNotes&, const JournalNotes&) = default;
};

std::uint64_t WhoIs(std::string_view uid);

class Journal {
 public:
  // `next`: the number of the first entry.
  explicit Journal(std::int64_t next = 1) : next_(next) {}

  // Returns the evaluation's number.
  std::int64_t Add(const std::string& uid, SeriesPoint point);
  // A series with all of the autoscaler's evaluations so far goes to disk with the same commit.
  void Saved(const std::string& uid);
  void KeepFrom(std::int64_t number) { notes_.keep_from = number; }

  std::int64_t next() const { return next_; }
  // What was gathered since the last time.
  JournalNotes Take();

 private:
  std::int64_t next_;
  JournalNotes notes_;
};

// The evaluations that no series has, by autoscaler and in order; their numbers are their rows'.
using UnsavedEntries = std::unordered_map<std::uint64_t, std::vector<JournalEntry>>;

}  // namespace ballast::store
