#include "store/sqlite/reader.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "store/packing/compress.h"
#include "store/sqlite/journal_rows.h"
#include "store/sqlite/observation_rows.h"
#include "store/sqlite/open.h"
#include "store/sqlite/processes.h"
#include "store/sqlite/reach.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {
namespace {

constexpr std::int64_t kBegin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

// How many entries ForEach reads in one transaction.
constexpr std::size_t kBatch = 200;

// Of how many entries a part consists at least, unless it is the last one; how many ForEachPart
// reads in one transaction at most, and of what span of time at first.
constexpr std::size_t kPart = 1000;
constexpr std::int64_t kSpan = 4000;
constexpr Duration kFirstSpan = Duration::Seconds(3600);

// How many series (of at most 240 evaluations) ForEachEvaluation reads in one transaction.
constexpr std::int64_t kSeriesBatch = 8;

// How many of the edits before a decision are looked at.
constexpr std::int64_t kMostEdits = 100;

// Parameters: ?1 namespace, ?2 name, ?3 kind.
#define BALLAST_AUTOSCALER_CONDITIONS \
  " (?1 IS NULL OR a.namespace = ?1) AND (?2 IS NULL OR a.name = ?2) AND (?3 = '' OR a.kind = ?3)"

// Entries that begin from ?7 until ?6 and do not end before ?5, at a heartbeat of ?4. An
// autoscaler's runs do not overlap, so the last one that began by ?5 is the first one that can
// reach beyond it: the index has them in order from there.
#define BALLAST_ENTRIES                                                                  \
  " FROM autoscalers a CROSS JOIN decisions d ON d.autoscaler = a.id"                    \
  " WHERE" BALLAST_AUTOSCALER_CONDITIONS                                                 \
  " AND d.time >= iif(?5 <= ?7, ?7, max(coalesce((SELECT max(time) FROM decisions WHERE" \
  " autoscaler = a.id AND time <= ?5), ?5), ?7)) AND d.time <= ?6"                       \
  " AND (?5 <= ?7 OR coalesce(d.until, max(d.time, ?4)) >= ?5)"

// Binds these three, then `more`.
template <typename... More>
void BindQuery(Statement& rows, const HistoryQuery& query, const More&... more) {
  using Text = std::optional<std::string_view>;
  const Text all = query.namespace_.empty() ? Text() : Text(query.namespace_);
  rows.Bind(query.key ? Text(query.key->namespace_) : all,
            query.key ? Text(query.key->name) : std::nullopt, query.kind, more...);
}

std::int64_t OrElse(const std::optional<Time>& time, std::int64_t otherwise) {
  return time ? time->unix_nanoseconds() : otherwise;
}

// Reads in one transaction, so that the result is consistent (the heartbeat and the runs that it
// extends).
template <typename Read>
auto Together(Database& database, Read read) -> decltype(read()) {
  TRY(database.Run("BEGIN"));
  auto result = read();
  TRY(database.Run("COMMIT"));
  return result;
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::Open(const std::string& path) {
  ASSIGN_OR_RETURN(auto database, OpenForReading(path));
  return std::unique_ptr<Reader>(new Reader(std::move(database)));
}

Reader::Reader(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Reader::~Reader() = default;

Result<std::optional<Reach>> Reader::HowFarBack() {
  if (!database_) {
    return std::optional<Reach>();
  }
  return ReadReach(*database_);
}

Result<bool> Reader::Knows(const api::ObjectKey& key, const std::string& kind) {
  if (!database_) {
    return false;
  }
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare("SELECT 1 FROM autoscalers WHERE namespace = ?1"
                                      " AND name = ?2 AND (?3 = '' OR kind = ?3)"));
  rows.Bind(key.namespace_, key.name, kind);
  return rows.Step();
}

Result<std::vector<Subject>> Reader::Subjects() {
  if (!database_) {
    return std::vector<Subject>();
  }
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare("SELECT uid, kind, namespace, name FROM autoscalers"
                                      " ORDER BY namespace, name, id"));
  return rows.All<Subject>(
      [](const Statement& row) -> Result<Subject> { return SubjectAt(row, 0); });
}

Result<std::optional<Extent>> Reader::ExtentOf(const HistoryQuery& query) {
  if (!database_) {
    return std::optional<Extent>();
  }
  return Together(*database_, [&] { return ReadExtent(query); });
}

Result<std::vector<Entry>> Reader::Entries(const HistoryQuery& query) {
  if (!database_) {
    return std::vector<Entry>();
  }
  return Together(*database_,
                  [&] { return ReadHistory(query, Place(), OrElse(query.until, kEnd), -1); });
}

Status Reader::ForEachPart(const HistoryQuery& query, const Place& from, const VisitPart& visit) {
  const std::int64_t end = OrElse(query.until, kEnd);
  ASSIGN_OR_RETURN(const auto extent, ExtentOf(query));
  if (!extent) {
    return visit({}, Time::FromUnixNanoseconds(end));
  }
  // Entries are found by their times, so they are read by spans of time, of a length that suits
  // their number.
  std::int64_t span = kFirstSpan.nanoseconds;
  Place after{from.time, from.id - 1};
  Time begin = std::max({extent->from, from.time, query.since.value_or(from.time)});
  std::vector<Entry> part;
  for (bool more = true; more;) {
    const bool last = begin.unix_nanoseconds() > extent->until.unix_nanoseconds() - span;
    const std::int64_t until = last ? end : std::min(end, begin.unix_nanoseconds() + span);
    ASSIGN_OR_RETURN(auto entries,
                     Together(*database_, [&] { return ReadHistory(query, after, until, kSpan); }));
    const auto size = static_cast<std::int64_t>(entries.size());
    const bool full = size == kSpan;
    after = full ? Place{entries.back().time, entries.back().id}
                 : Place{Time::FromUnixNanoseconds(until), std::numeric_limits<DecisionId>::max()};
    begin = after.time;
    more = full || until != end;
    std::ranges::move(entries, std::back_inserter(part));
    if (!more || part.size() >= kPart) {
      TRY(visit(std::exchange(part, {}), begin));
    }
    span = full ? std::max<std::int64_t>(span / 2, 1) : size < kSpan / 4 ? span * 2 : span;
  }
  return Done{};
}

Result<std::optional<Newest>> Reader::FindNewest(const HistoryQuery& query, std::int64_t count,
                                                 bool changes_only) {
  if (!database_) {
    return std::optional<Newest>();
  }
  return Together(*database_, [&] { return ReadNewest(query, count, changes_only); });
}

Result<HistoryAt> Reader::Look(const HistoryQuery& query, Time at) {
  if (!database_) {
    return HistoryAt();
  }
  return Together(*database_, [&] { return ReadHistoryAt(query, at); });
}

Result<Heartbeat> Reader::ReadHeartbeat() {
  ASSIGN_OR_RETURN(const auto evaluated,
                   database_->Integer("SELECT evaluated FROM heartbeat WHERE id = 1"));
  if (!shortest_) {
    ASSIGN_OR_RETURN(shortest_,
                     database_->Integer("SELECT coalesce(min(period), 0) FROM autoscalers"
                                        " WHERE live = 1 AND period > 0"));
  }
  return Heartbeat{Time::FromUnixNanoseconds(evaluated),
                   *shortest_ > 0 ? std::optional(Duration{*shortest_}) : std::nullopt};
}

Result<std::optional<Extent>> Reader::ReadExtent(const HistoryQuery& query) {
  ASSIGN_OR_RETURN(const Heartbeat heartbeat, ReadHeartbeat());
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare(
          "SELECT a.uid, a.kind, a.namespace, a.name,"
          " (SELECT min(time) FROM decisions WHERE autoscaler = a.id) AS first,"
          " (SELECT coalesce(until, max(time, ?4)) FROM decisions WHERE autoscaler = a.id"
          " ORDER BY time DESC, id DESC LIMIT 1) AS last"
          " FROM autoscalers a WHERE" BALLAST_AUTOSCALER_CONDITIONS
          " AND first IS NOT NULL ORDER BY last"));
  BindQuery(rows, query, heartbeat.evaluated);
  std::optional<Extent> extent;
  TRY(rows.ForEach([&](const Statement& row) -> Status {
    const Time from = row.Moment(4);
    extent = Extent{SubjectAt(row, 0), extent ? std::min(extent->from, from) : from, row.Moment(5)};
    return Done{};
  }));
  return extent;
}

Result<std::vector<Entry>> Reader::ReadHistory(const HistoryQuery& query, const Place& after,
                                               std::int64_t until, std::int64_t limit) {
  ASSIGN_OR_RETURN(const Heartbeat heartbeat, ReadHeartbeat());
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare("SELECT " BALLAST_ENTRY_COLUMNS BALLAST_ENTRIES
                                      " AND (d.time, d.id) > (?7, ?8)"
                                      " ORDER BY d.time, d.id LIMIT ?9"));
  BindQuery(rows, query, heartbeat.evaluated, OrElse(query.since, kBegin), until, after.time,
            after.id, limit);
  return rows.All<Entry>(
      [&](const Statement& row) -> Result<Entry> { return EntryAt(row, heartbeat); });
}

Result<std::optional<Newest>> Reader::ReadNewest(const HistoryQuery& query, std::int64_t count,
                                                 bool changes_only) {
  ASSIGN_OR_RETURN(const Heartbeat heartbeat, ReadHeartbeat());
  const std::int64_t since = OrElse(query.since, kBegin);
  const std::int64_t until = OrElse(query.until, kEnd);
  const std::int64_t changes = changes_only ? 1 : 0;
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare("SELECT d.time, d.id" BALLAST_ENTRIES
                                      " AND (?8 = 0 OR d.desired <> d.current)"
                                      " ORDER BY d.time DESC, d.id DESC LIMIT 1 OFFSET ?9"));
  BindQuery(rows, query, heartbeat.evaluated, since, until, kBegin, changes, count - 1);
  ASSIGN_OR_RETURN(const auto from, rows.One<Place>([](const Statement& row) -> Result<Place> {
    return Place{row.Moment(0), row.Integer(1)};
  }));
  if (!from) {
    return std::optional<Newest>();
  }
  ASSIGN_OR_RETURN(Statement before,
                   database_->Prepare("SELECT count(*), min(d.time)" BALLAST_ENTRIES
                                      " AND (?8 = 0 OR d.desired <> d.current)"
                                      " AND (d.time, d.id) < (?9, ?10)"));
  BindQuery(before, query, heartbeat.evaluated, since, until, kBegin, changes, from->time,
            from->id);
  TRY(before.Step());
  return before.Integer(0) == 0 ? std::optional<Newest>()
                                : std::optional(Newest{*from, before.Integer(0), before.Moment(1)});
}

Result<HistoryAt> Reader::ReadHistoryAt(const HistoryQuery& query, Time at) {
  HistoryAt found;
  ASSIGN_OR_RETURN(const Heartbeat heartbeat, ReadHeartbeat());
  found.heartbeat = heartbeat.evaluated;
  // Several autoscalers may have had the name, one after the other: the index finds the decision of
  // each.
  ASSIGN_OR_RETURN(
      found.last,
      ReadOne("SELECT " BALLAST_ENTRY_COLUMNS
              " FROM autoscalers a CROSS JOIN decisions d ON d.id = (SELECT id FROM decisions WHERE"
              " autoscaler = a.id AND time <= ?4 ORDER BY time DESC, id DESC LIMIT 1)"
              " WHERE" BALLAST_AUTOSCALER_CONDITIONS " ORDER BY d.time DESC, d.id DESC LIMIT 1",
              query, at, heartbeat));
  ASSIGN_OR_RETURN(
      found.next,
      ReadOne("SELECT " BALLAST_ENTRY_COLUMNS
              " FROM autoscalers a CROSS JOIN decisions d ON d.id = (SELECT id FROM decisions WHERE"
              " autoscaler = a.id AND time > ?4 ORDER BY time, id LIMIT 1)"
              " WHERE" BALLAST_AUTOSCALER_CONDITIONS " ORDER BY d.time, d.id LIMIT 1",
              query, at, heartbeat));
  if (!found.last) {
    return found;
  }
  ASSIGN_OR_RETURN(found.documents, ReadDocuments(found.last->id));
  TRY(ReadContext(query, at, found));
  ASSIGN_OR_RETURN(found.edits, ReadEdits(*found.last));
  if (!found.documents.snapshot.empty()) {
    found.kept = found.last;
    found.kept_snapshot = found.documents.snapshot;
    return found;
  }
  ASSIGN_OR_RETURN(
      found.kept,
      ReadOne("SELECT " BALLAST_ENTRY_COLUMNS
              " FROM autoscalers a CROSS JOIN decisions d ON d.id = (SELECT d.id FROM decisions d"
              " JOIN snapshots s ON s.decision = d.id WHERE d.autoscaler = a.id AND d.time <= ?4"
              " ORDER BY d.time DESC, d.id DESC LIMIT 1)"
              " WHERE" BALLAST_AUTOSCALER_CONDITIONS " ORDER BY d.time DESC, d.id DESC LIMIT 1",
              query, at, heartbeat));
  if (found.kept) {
    ASSIGN_OR_RETURN(auto documents, ReadDocuments(found.kept->id));
    found.kept_snapshot = std::move(documents.snapshot);
    if (found.kept_snapshot.empty()) {
      found.kept.reset();  // damaged
    }
  }
  return found;
}

Status Reader::ReadContext(const HistoryQuery& query, Time at, HistoryAt& found) {
  ASSIGN_OR_RETURN(found.timeline, ReadTimeline(found.last->id));
  ASSIGN_OR_RETURN(found.point, ReadPoint(found.last->subject, at));
  if (found.point && found.point->time > found.last->time) {
    ASSIGN_OR_RETURN(auto reasons, Reasons(*found.last));
    const auto reason = std::ranges::find(reasons, found.point->reason, &ReasonEntry::reason);
    if (reason != reasons.end()) {
      found.reason = std::move(*reason);
    }
  }
  // The newest foreign change, unless the autoscaler itself has scaled since.
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare(
                       "SELECT " BALLAST_FOREIGN_CHANGE_COLUMNS
                       " FROM autoscalers a JOIN foreign_changes f ON f.autoscaler = a.id "
                       "WHERE" BALLAST_AUTOSCALER_CONDITIONS
                       " AND f.time <= ?4 AND NOT EXISTS (SELECT 1 FROM decisions d WHERE"
                       " d.autoscaler = a.id AND d.time > f.time AND d.time < ?5"
                       " AND d.outcome IN ('written', 'observed')) ORDER BY f.time DESC LIMIT 1"));
  BindQuery(rows, query, at, found.last->time);
  ASSIGN_OR_RETURN(found.foreign_change, rows.One<ForeignChangeEntry>(ForeignChangeEntryAt));
  return Done{};
}

Result<std::vector<EditEntry>> Reader::ReadEdits(const Entry& entry) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT " BALLAST_EDIT_COLUMNS " FROM autoscalers a CROSS JOIN edits e"
                         " ON e.autoscaler = a.id WHERE a.uid = ? AND e.time <= ?"
                         " ORDER BY e.time DESC, e.id DESC LIMIT ?"));
  rows.Bind(entry.subject.uid, entry.time, kMostEdits);
  ASSIGN_OR_RETURN(auto edits, rows.All<EditEntry>(EditEntryAt));
  std::erase_if(edits, [&](const EditEntry& edit) { return edit.decision != entry.id; });
  std::ranges::reverse(edits);
  return edits;
}

Result<std::optional<Timeline>> Reader::ReadTimeline(DecisionId id) {
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare("SELECT sampled, seen, decided, written, ready FROM timelines"
                                      " WHERE decision = ?"));
  rows.Bind(id);
  return rows.One<Timeline>([](const Statement& row) -> Result<Timeline> {
    return Timeline{row.OptionalMoment(0), row.Moment(1), row.Moment(2), row.OptionalMoment(3),
                    row.OptionalMoment(4)};
  });
}

// The newest evaluations may be in the journal, in a series, or in both.
Result<std::optional<SeriesPoint>> Reader::ReadPoint(const Subject& subject, Time at) {
  // Times of points are rounded to milliseconds.
  const Time end = at + Duration::Milliseconds(1);
  ASSIGN_OR_RETURN(auto point, FindInSeries(*database_, subject.uid, end, damaged_));
  ASSIGN_OR_RETURN(auto newer, FindInJournal(*database_, subject.uid, end));
  return newer && (!point || newer->time > point->time) ? newer : point;
}

Result<std::optional<Entry>> Reader::ReadOne(const char* sql, const HistoryQuery& query, Time at,
                                             const Heartbeat& heartbeat) {
  ASSIGN_OR_RETURN(Statement rows, database_->Prepare(sql));
  BindQuery(rows, query, at);
  return rows.One<Entry>(
      [&](const Statement& row) -> Result<Entry> { return EntryAt(row, heartbeat); });
}

Result<Documents> Reader::ReadDocuments(DecisionId id) {
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare("SELECT s.json, c.json FROM decisions d LEFT JOIN snapshots s"
                                      " ON s.decision = d.id LEFT JOIN conclusions c ON c.decision"
                                      " = d.id WHERE d.id = ?"));
  rows.Bind(id);
  ASSIGN_OR_RETURN(const bool row, rows.Step());
  if (!row) {
    return Documents();
  }
  return DocumentsAt(rows, 0, damaged_);
}

Result<std::vector<ReasonEntry>> Reader::Reasons(const Entry& entry) {
  const bool run =
      entry.disposition == Disposition::kNone || entry.disposition == Disposition::kDryRun;
  if (!database_ || !run || entry.evaluations == 1) {
    return std::vector<ReasonEntry>();
  }
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare("SELECT time, reason, message, snapshot, conclusion"
                                      " FROM reasons WHERE decision = ? ORDER BY time"));
  rows.Bind(entry.id);
  return rows.All<ReasonEntry>([&](const Statement& row) -> Result<ReasonEntry> {
    return ReasonEntry{row.Moment(0), std::string(row.Text(1)), std::string(row.Text(2)),
                       DocumentsAt(row, 3, damaged_)};
  });
}

Result<std::vector<ForeignChangeEntry>> Reader::ForeignChanges(const HistoryQuery& query) {
  if (!database_) {
    return std::vector<ForeignChangeEntry>();
  }
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT " BALLAST_FOREIGN_CHANGE_COLUMNS
                         " FROM autoscalers a CROSS JOIN foreign_changes f ON f.autoscaler = a.id"
                         " WHERE" BALLAST_AUTOSCALER_CONDITIONS
                         " AND f.time BETWEEN ?4 AND ?5 ORDER BY f.time, f.id"));
  BindQuery(rows, query, OrElse(query.since, kBegin), OrElse(query.until, kEnd));
  return rows.All<ForeignChangeEntry>(ForeignChangeEntryAt);
}

Result<std::vector<EditEntry>> Reader::Edits(const HistoryQuery& query) {
  if (!database_) {
    return std::vector<EditEntry>();
  }
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT " BALLAST_EDIT_COLUMNS
                         " FROM autoscalers a CROSS JOIN edits e ON e.autoscaler = a.id"
                         " WHERE" BALLAST_AUTOSCALER_CONDITIONS
                         " AND e.time BETWEEN ?4 AND ?5 ORDER BY e.time, e.id"));
  BindQuery(rows, query, OrElse(query.since, kBegin), OrElse(query.until, kEnd));
  return rows.All<EditEntry>(EditEntryAt);
}

Result<std::vector<DelayEntry>> Reader::DelaysInRuns(const HistoryQuery& query) {
  if (!database_) {
    return std::vector<DelayEntry>();
  }
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT a.uid, a.kind, a.namespace, a.name, a.period, y.since, y.time,"
                         " y.took, y.slowest FROM autoscalers a CROSS JOIN delays y"
                         " ON y.autoscaler = a.id WHERE" BALLAST_AUTOSCALER_CONDITIONS
                         " AND y.time >= ?4 AND y.since BETWEEN ?4 AND ?5 AND y.time <="
                         " (SELECT coalesce(d.until, y.time) FROM decisions d WHERE"
                         " d.autoscaler = a.id AND d.time <= y.since"
                         " ORDER BY d.time DESC, d.id DESC LIMIT 1) ORDER BY y.since, y.id"));
  BindQuery(rows, query, OrElse(query.since, kBegin), OrElse(query.until, kEnd));
  return rows.All<DelayEntry>([](const Statement& row) -> Result<DelayEntry> {
    return DelayEntry{SubjectAt(row, 0), Duration{row.Integer(4)}, DelayAt(row, 5)};
  });
}

Result<GapFacts> Reader::Explain(const Subject* subject, Time from, Time to) {
  if (!database_) {
    return GapFacts();
  }
  return Together(*database_, [&] { return ReadPause(subject, from, to); });
}

Result<GapFacts> Reader::ReadPause(const Subject* subject, Time from, Time to) {
  GapFacts pause;
  ASSIGN_OR_RETURN(const auto terms, OtherTerms(*database_, from, to));
  if (!terms.empty()) {
    pause.leader = terms.back().leader;
  }
  ASSIGN_OR_RETURN(const Down down, Downtime(*database_, from, to, terms));
  pause.down = down.span;
  pause.in_vain = down.in_vain;
  ASSIGN_OR_RETURN(pause.others, EvaluatedBetween(from, to));
  if (subject != nullptr) {
    ASSIGN_OR_RETURN(pause.unserved, WasUnserved(*database_, subject->key.namespace_, from, to));
    ASSIGN_OR_RETURN(pause.delay, FindDelay(*database_, subject->uid, from, to));
  }
  return pause;
}

Result<bool> Reader::EvaluatedBetween(Time from, Time to) {
  ASSIGN_OR_RETURN(const Heartbeat heartbeat, ReadHeartbeat());
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT 1 FROM autoscalers a CROSS JOIN decisions d ON d.id = (SELECT id"
                         " FROM decisions WHERE autoscaler = a.id AND time < ?2 ORDER BY time"
                         " DESC, id DESC LIMIT 1)"
                         " WHERE coalesce(d.until, max(d.time, ?3)) > ?1 LIMIT 1"));
  rows.Bind(from, to, heartbeat.evaluated);
  return rows.Step();
}

Status Reader::ForEach(const HistoryQuery& query, const Visit& visit) {
  if (!database_) {
    return Done{};
  }
  ASSIGN_OR_RETURN(const auto autoscalers, ReadAutoscalers(query));
  for (const std::int64_t autoscaler : autoscalers) {
    // The last run that begins by `since` may reach beyond it.
    ASSIGN_OR_RETURN(Place place, FirstPlace(autoscaler, query));
    for (bool more = true; more;) {
      ASSIGN_OR_RETURN(const auto batch,
                       Together(*database_, [&] { return ReadBatch(autoscaler, query, place); }));
      for (const Record& record : batch) {
        TRY(visit(record.entry, record.documents));
      }
      more = batch.size() == kBatch;
      if (more) {
        place = {batch.back().entry.time, batch.back().entry.id};
      }
    }
  }
  return Done{};
}

Status Reader::ForEachEvaluation(const HistoryQuery& query, const VisitEvaluation& visit) {
  if (!database_) {
    return Done{};
  }
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare("SELECT a.uid, a.kind, a.namespace, a.name FROM autoscalers a"
                                      " WHERE" BALLAST_AUTOSCALER_CONDITIONS
                                      " ORDER BY a.namespace, a.name, a.id"));
  BindQuery(rows, query);
  ASSIGN_OR_RETURN(
      const auto subjects,
      rows.All<Subject>([](const Statement& row) -> Result<Subject> { return SubjectAt(row, 0); }));
  const Time until = query.until.value_or(Time::FromUnixNanoseconds(kEnd));
  for (const Subject& subject : subjects) {
    std::optional<Time> next = Time::FromUnixNanoseconds(kBegin);
    Time since = *next;
    if (query.since) {
      ASSIGN_OR_RETURN(const auto before, ReadPoint(subject, *query.since));
      // Times of points are rounded to milliseconds.
      since = (before ? before->time : *query.since) - Duration::Milliseconds(1);
    }
    while (next) {
      ASSIGN_OR_RETURN(const Points read, Together(*database_, [&] {
                         return ReadPoints(subject.uid, *next, since, until);
                       }));
      for (const SeriesPoint& point : read.points) {
        TRY(visit(subject, point));
      }
      next = read.next;
    }
  }
  return Done{};
}

Result<Reader::Points> Reader::ReadPoints(const std::string& uid, Time begin_after, Time since,
                                          Time until) {
  Points read;
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT s.data, s.time FROM autoscalers a JOIN series s"
                         " ON s.autoscaler = a.id WHERE a.uid = ?1 AND s.time > ?2"
                         " AND s.until > ?3 AND s.time <= ?4 ORDER BY s.time LIMIT ?5"));
  rows.Bind(uid, begin_after, since, until, kSeriesBatch);
  std::int64_t series = 0;
  TRY(rows.ForEach([&](const Statement& row) -> Status {
    if (++series == kSeriesBatch) {
      read.next = row.Moment(1);
    }
    const auto points = SeriesOf(row.Blob(0));
    if (!points.ok()) {
      ++damaged_;
      return Done{};
    }
    std::ranges::copy_if(*points, std::back_inserter(read.points), [&](const SeriesPoint& point) {
      return point.time > since && point.time <= until;
    });
    return Done{};
  }));
  if (!read.next) {
    ASSIGN_OR_RETURN(auto unsaved, ReadUnsavedOf(*database_, uid, since, until));
    std::ranges::move(unsaved, std::back_inserter(read.points));
  }
  return read;
}

Result<std::vector<std::int64_t>> Reader::ReadAutoscalers(const HistoryQuery& query) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT a.id FROM autoscalers a WHERE" BALLAST_AUTOSCALER_CONDITIONS
                         " ORDER BY a.namespace, a.name, a.id"));
  BindQuery(rows, query);
  return rows.All<std::int64_t>(
      [](const Statement& row) -> Result<std::int64_t> { return row.Integer(0); });
}

Result<Place> Reader::FirstPlace(std::int64_t autoscaler, const HistoryQuery& query) {
  if (!query.since) {
    return Place();
  }
  ASSIGN_OR_RETURN(Statement row,
                   database_->Prepare(
                       "SELECT coalesce((SELECT max(time) FROM decisions WHERE autoscaler = ?1 AND"
                       " time <= ?2), ?2)"));
  row.Bind(autoscaler, *query.since);
  TRY(row.Step());
  return Place{row.Moment(0), 0};
}

Result<std::vector<Reader::Record>> Reader::ReadBatch(std::int64_t autoscaler,
                                                      const HistoryQuery& query,
                                                      const Place& after) {
  ASSIGN_OR_RETURN(const Heartbeat heartbeat, ReadHeartbeat());
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT " BALLAST_ENTRY_COLUMNS
                         ", s.json, c.json FROM decisions d JOIN autoscalers a ON a.id = ?1"
                         " LEFT JOIN snapshots s ON s.decision = d.id"
                         " LEFT JOIN conclusions c ON c.decision = d.id"
                         " WHERE d.autoscaler = ?1 AND (d.time, d.id) > (?2, ?3) AND d.time <= ?6"
                         " AND coalesce(d.until, max(d.time, ?4)) >= ?5"
                         " ORDER BY d.time, d.id LIMIT ?7"));
  rows.Bind(autoscaler, after.time, after.id, heartbeat.evaluated, OrElse(query.since, kBegin),
            OrElse(query.until, kEnd), static_cast<std::int64_t>(kBatch));
  return rows.All<Record>([&](const Statement& row) -> Result<Record> {
    return Record{EntryAt(row, heartbeat), DocumentsAt(row, kEntryColumns, damaged_)};
  });
}

}  // namespace ballast::store
