// The journal: what the newest evaluations of all autoscalers saw. Each commit adds one row with
// the evaluations since the previous commit, so that a crash loses none that was committed. Minutes
// later they are in series on disk (evaluation_series.h), which take less space, and the rows are
// deleted.
//
// The ledger numbers and collects entries (Journal); a back end writes the collected ones as a row
// (journal_rows.h), whose id is the number of its last entry. An entry is an evaluation, or it says
// that all earlier ones of its autoscaler are in series. So a restart knows which are not, even if
// the clock was set. An entry begins with a hash of the uid (64 bits, so a collision in one store
// is very unlikely) and its length, so that readers can skip those of other autoscalers.
//
// Thread-safety: plain values; a Journal: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/packing/evaluation_series.h"

namespace ballast::store {

struct JournalEntry {
  std::int64_t number = 0;
  std::uint64_t who = 0;             // StableHash(uid)
  std::optional<SeriesPoint> point;  // absent: the autoscaler's earlier entries are in series
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

// What a commit writes.
struct JournalNotes {
  std::vector<JournalEntry> entries;
  std::int64_t keep_from = 0;  // all entries before this number are in series

  bool empty() const { return entries.empty() && keep_from == 0; }
  void Append(JournalNotes later);
  friend bool operator==(const JournalNotes&, const JournalNotes&) = default;
};

class Journal {
 public:
  // `next`: the number of the first entry.
  explicit Journal(std::int64_t next = 1) : next_(next) {}

  // Adds an evaluation and returns its number.
  std::int64_t Add(const std::string& uid, SeriesPoint point);
  // Notes that the same commit writes a series with all of the autoscaler's evaluations so far.
  void Saved(const std::string& uid);
  void KeepFrom(std::int64_t number) { notes_.keep_from = number; }

  std::int64_t next() const { return next_; }
  // Returns what was collected since the last call.
  JournalNotes Take();

 private:
  std::int64_t next_;
  JournalNotes notes_;
};

// The evaluations that are in no series on disk, by autoscaler (StableHash), in order. Read from a
// file, each has its row's number.
using UnsavedEntries = std::unordered_map<std::uint64_t, std::vector<JournalEntry>>;

}  // namespace ballast::store
