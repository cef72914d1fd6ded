#include "store/sqlite/journal_rows.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "api/base/stable_hash.h"
#include "store/packing/packing.h"

namespace ballast::store {
namespace {

constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kWhoSize = sizeof(std::uint64_t);

void PutWho(std::string& out, std::uint64_t who) {
  for (std::size_t i = 0; i < kWhoSize; ++i) {
    out += static_cast<char>(who >> (8 * i));
  }
}

std::uint64_t WhoOf(std::string_view bytes) {
  std::uint64_t who = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    who |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return who;
}

// The evaluation's time is relative to the row's `base`, and a sample's time to the evaluation's.
void PutPoint(std::string& out, const SeriesPoint& point, std::int64_t base, PackedTexts& texts) {
  const std::int64_t time = Millis(point.time);
  PutSigned(out, Minus(time, base));
  PutSigned(out, point.current_replicas);
  PutSigned(out, point.desired_replicas);
  PutVarint(out, texts.IndexOf(point.reason));
  PutVarint(out, point.readings.size());
  for (const Reading& reading : point.readings) {
    PutVarint(out, texts.IndexOf(reading.metric));
    PutVarint(out, texts.IndexOf(reading.target));
    PutOptional(out, PackFigure(reading.milli, reading.target));
    PutOptional(
        out, reading.sampled ? std::optional(Minus(time, Millis(*reading.sampled))) : std::nullopt);
  }
}

// Reads the entries of a row, one after the other.
class JournalRow {
 public:
  explicit JournalRow(std::string_view data) : in_(data) {
    sound_ = in_.Varint() == kFormat;
    base_ = in_.Signed();
    texts_ = in_.Texts();
  }

  // Advances to the next entry. False: there is none, or what follows is damaged.
  bool Next() {
    if (!sound_ || in_.at_end()) {
      return false;
    }
    who_ = WhoOf(in_.Take(kWhoSize));
    point_ = in_.Text();
    return sound_ = in_.ok();
  }

  std::uint64_t who() const { return who_; }
  // Whether it says that the autoscaler's earlier entries are in series.
  bool saves() const { return point_.empty(); }

  // nullopt: it is damaged.
  std::optional<SeriesPoint> Point() const {
    PackedInput in(point_);
    SeriesPoint point;
    const std::int64_t time = Plus(base_, in.Signed());
    point.time = FromMillis(time);
    point.current_replicas = static_cast<std::int32_t>(in.Signed());
    point.desired_replicas = static_cast<std::int32_t>(in.Signed());
    bool known = true;
    const auto text = [&] {
      const std::uint64_t index = in.Varint();
      known = known && index < texts_.size();
      return std::string(known ? texts_[index] : std::string_view());
    };
    point.reason = text();
    for (std::size_t left = in.Count(); left > 0; --left) {
      Reading reading{text(), text(), std::nullopt, std::nullopt};
      reading.milli = UnpackFigure(in.Optional(), reading.target);
      if (const auto age = in.Optional()) {
        reading.sampled = FromMillis(Minus(time, *age));
      }
      point.readings.push_back(std::move(reading));
    }
    return known && in.ok() && in.at_end() ? std::optional(std::move(point)) : std::nullopt;
  }

 private:
  PackedInput in_;
  bool sound_ = false;
  std::int64_t base_ = 0;
  std::vector<std::string_view> texts_;
  std::uint64_t who_ = 0;
  std::string_view point_;
};

// Calls `visit(row, entry)` for each sound entry of the journal, in order.
template <typename Visit>
Status ForEachEntry(Database& database, Visit visit) {
  ASSIGN_OR_RETURN(Statement rows, database.Prepare("SELECT id, data FROM journal ORDER BY id"));
  return rows.ForEach([&](const Statement& row) -> Status {
    for (JournalRow entry(row.Blob(1)); entry.Next();) {
      visit(row.Integer(0), entry);
    }
    return Done{};
  });
}

// The time of the earliest evaluation; nullopt: there is none.
std::optional<Time> Earliest(const std::vector<JournalEntry>& entries) {
  std::optional<Time> earliest;
  for (const JournalEntry& entry : entries) {
    if (entry.point && (!earliest || entry.point->time < *earliest)) {
      earliest = entry.point->time;
    }
  }
  return earliest;
}

}  // namespace

std::string PackJournal(const std::vector<JournalEntry>& entries) {
  const std::optional<Time> earliest = Earliest(entries);
  const std::int64_t base = earliest ? Millis(*earliest) : 0;
  PackedTexts texts;
  std::string packed;
  std::string point;
  for (const JournalEntry& entry : entries) {
    point.clear();
    if (entry.point) {
      PutPoint(point, *entry.point, base, texts);
    }
    PutWho(packed, entry.who);
    PutText(packed, point);
  }
  std::string out;
  PutVarint(out, kFormat);
  PutSigned(out, base);
  texts.Put(out);
  return out + packed;
}

Status WriteJournal(Database& database, const JournalNotes& notes) {
  if (!notes.entries.empty() && notes.entries.back().number >= notes.keep_from) {
    const std::string data = PackJournal(notes.entries);
    TRY(database.Run("INSERT OR REPLACE INTO journal (id, time, data) VALUES (?, ?, ?)",
                     notes.entries.back().number, Earliest(notes.entries), Bytes{data}));
  }
  if (notes.keep_from > 0) {
    TRY(database.Run("DELETE FROM journal WHERE id < ?", notes.keep_from));
  }
  return Done{};
}

Result<std::int64_t> NextJournalNumber(Database& database) {
  return database.Integer("SELECT coalesce(max(id), 0) + 1 FROM journal");
}

Result<UnsavedEntries> ReadUnsaved(Database& database) {
  // How many entries of each autoscaler are in series.
  std::unordered_map<std::uint64_t, std::int64_t> saved;
  std::unordered_map<std::uint64_t, std::int64_t> seen;
  TRY(ForEachEntry(database, [&](std::int64_t, const JournalRow& entry) {
    const std::int64_t count = ++seen[entry.who()];
    if (entry.saves()) {
      saved[entry.who()] = count;
    }
  }));
  seen.clear();
  UnsavedEntries unsaved;
  TRY(ForEachEntry(database, [&](std::int64_t row, const JournalRow& entry) {
    if (++seen[entry.who()] > saved[entry.who()]) {
      if (auto point = entry.Point()) {
        unsaved[entry.who()].push_back({row, entry.who(), std::move(point)});
      }
    }
  }));
  return unsaved;
}

Result<std::optional<SeriesPoint>> FindInJournal(Database& database, const std::string& uid,
                                                 Time until) {
  ASSIGN_OR_RETURN(Statement rows, database.Prepare("SELECT data FROM journal WHERE time <= ?"
                                                    " ORDER BY id DESC"));
  rows.Bind(until);
  const std::uint64_t who = StableHash(uid);
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) {
      return std::optional<SeriesPoint>();
    }
    std::optional<SeriesPoint> newest;
    for (JournalRow entries(rows.Blob(0)); entries.Next();) {
      if (entries.who() != who || entries.saves()) {
        continue;
      }
      auto point = entries.Point();
      if (point && point->time <= until && (!newest || point->time >= newest->time)) {
        newest = std::move(point);
      }
    }
    if (newest) {
      return newest;
    }
  }
}

Result<std::vector<SeriesPoint>> ReadUnsavedOf(Database& database, const std::string& uid,
                                               Time since, Time until) {
  const std::uint64_t who = StableHash(uid);
  std::vector<SeriesPoint> points;
  TRY(ForEachEntry(database, [&](std::int64_t, const JournalRow& entry) {
    if (entry.who() != who) {
      return;
    }
    if (entry.saves()) {
      points.clear();
      return;
    }
    auto point = entry.Point();
    if (point && point->time > since && point->time <= until) {
      points.push_back(std::move(*point));
    }
  }));
  return points;
}

}  // namespace ballast::store
