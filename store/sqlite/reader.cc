#include "store/sqlite/reader.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "store/sqlite/bind_query.h"
#include "store/sqlite/entry_rows.h"
#include "store/sqlite/evaluation_points.h"
#include "store/sqlite/gap_facts.h"
#include "store/sqlite/history_at.h"
#include "store/sqlite/open.h"
#include "store/sqlite/processes.h"
#include "store/sqlite/reach.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {
namespace {

// A page has at least so many entries, unless it is the last one, or evaluations; at most so many
// decisions, and not many more bytes of their documents.
constexpr std::size_t kPage = 1000;
constexpr std::size_t kPageSize = std::size_t{4} * 1024 * 1024;

// How many entries are read in one transaction at most, and of what span of time at first.
constexpr std::int64_t kSpan = 4000;
constexpr Duration kFirstSpan = Duration::Seconds(3600);

std::size_t SizeOf(const Documents& documents) {
  return documents.snapshot.size() + documents.conclusion.size();
}

std::size_t SizeOf(const FullEntry& one) {
  std::size_t size = SizeOf(one.documents);
  for (const ReasonEntry& reason : one.reasons) {
    size += SizeOf(reason.documents);
  }
  return size;
}

// Reads in one transaction, so that the result is consistent.
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

Result<Writers> Reader::ReadWriters() {
  Writers writers;
  if (!database_) {
    return writers;
  }
  ASSIGN_OR_RETURN(Statement terms, database_->Prepare("SELECT leader FROM terms WHERE own = 1"
                                                       " ORDER BY since DESC, id DESC LIMIT 1"));
  ASSIGN_OR_RETURN(const bool led, terms.Step());
  if (led) {
    writers.leader = terms.Text(0);
  }
  ASSIGN_OR_RETURN(Statement processes,
                   database_->Prepare("SELECT started FROM processes ORDER BY started"));
  ASSIGN_OR_RETURN(writers.started, processes.All<Time>([](const Statement& row) {
    return Result<Time>(row.Moment(0));
  }));
  return writers;
}

template <typename Read>
auto Reader::WithHeartbeat(Read read) {
  return Together(*database_, [&]() -> decltype(read(Heartbeat())) {
    ASSIGN_OR_RETURN(const Heartbeat heartbeat, ReadHeartbeat());
    return read(heartbeat);
  });
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

Result<std::optional<Reach>> Reader::HowFarBack(const HistoryQuery& query) {
  if (!database_) {
    return std::optional<Reach>();
  }
  return ReadReach(*database_, query.key ? query.key->namespace_ : query.namespace_);
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
  return WithHeartbeat(
      [&](const Heartbeat& heartbeat) { return ReadExtent(*database_, query, heartbeat); });
}

Result<std::vector<Entry>> Reader::ReadFrom(const HistoryQuery& query, const Place& after,
                                            std::int64_t until, std::int64_t limit) {
  return WithHeartbeat([&](const Heartbeat& heartbeat) {
    return ReadEntries(*database_, query, heartbeat, after, until, limit);
  });
}

Result<EntryPage> Reader::ReadEntryPage(const HistoryQuery& query, const Place& from) {
  const std::int64_t end = OrElse(query.until, kEndOfTime);
  EntryPage page{{}, Time::FromUnixNanoseconds(end), {}};
  ASSIGN_OR_RETURN(const auto extent, ExtentOf(query));
  if (!extent) {
    return page;
  }
  // Entries are found by their times, so they are read by spans of time, of a length that suits
  // their number.
  std::int64_t span = kFirstSpan.nanoseconds;
  Place after{from.time, from.id - 1};
  Time begin = std::max({extent->from, from.time, query.since.value_or(from.time)});
  while (page.entries.size() < kPage) {
    const bool last = begin.unix_nanoseconds() > extent->until.unix_nanoseconds() - span;
    const std::int64_t until = last ? end : std::min(end, begin.unix_nanoseconds() + span);
    ASSIGN_OR_RETURN(auto entries, ReadFrom(query, after, until, kSpan));
    const auto size = static_cast<std::int64_t>(entries.size());
    const bool full = size == kSpan;
    after = full ? Place{entries.back().time, entries.back().id}
                 : Place{Time::FromUnixNanoseconds(until), std::numeric_limits<DecisionId>::max()};
    begin = after.time;
    std::ranges::move(entries, std::back_inserter(page.entries));
    if (!full && until == end) {
      return page;
    }
    span = full ? std::max<std::int64_t>(span / 2, 1) : size < kSpan / 4 ? span * 2 : span;
  }
  page.until = after.time;
  page.next = after.id == std::numeric_limits<DecisionId>::max()
                  ? Place{after.time + Duration{1}, 0}
                  : Place{after.time, after.id + 1};
  return page;
}

Result<std::optional<Newest>> Reader::FindNewest(const HistoryQuery& query, std::int64_t count) {
  if (!database_) {
    return std::optional<Newest>();
  }
  return WithHeartbeat(
      [&](const Heartbeat& heartbeat) { return ReadNewest(*database_, query, heartbeat, count); });
}

Result<HistoryAt> Reader::Look(const HistoryQuery& query, Time at) {
  if (!database_) {
    return HistoryAt();
  }
  return WithHeartbeat([&](const Heartbeat& heartbeat) {
    return ReadHistoryAt(*database_, query, at, heartbeat, damaged_);
  });
}

template <typename T, typename AtRow>
Result<std::vector<T>> Reader::Select(const HistoryQuery& query, const char* sql, AtRow at_row) {
  if (!database_) {
    return std::vector<T>();
  }
  ASSIGN_OR_RETURN(Statement rows, database_->Prepare(sql));
  BindQuery(rows, query, OrElse(query.since, kBeginOfTime), OrElse(query.until, kEndOfTime));
  return rows.All<T>(at_row);
}

Result<std::vector<ForeignChangeEntry>> Reader::ForeignChanges(const HistoryQuery& query) {
  return Select<ForeignChangeEntry>(
      query,
      "SELECT " BALLAST_FOREIGN_CHANGE_COLUMNS
      " FROM autoscalers a CROSS JOIN foreign_changes f ON f.autoscaler = a.id"
      " WHERE" BALLAST_AUTOSCALER_CONDITIONS " AND f.time BETWEEN ?4 AND ?5 ORDER BY f.time, f.id",
      ForeignChangeEntryAt);
}

Result<std::vector<EditEntry>> Reader::Edits(const HistoryQuery& query) {
  return Select<EditEntry>(query,
                           "SELECT " BALLAST_EDIT_COLUMNS
                           " FROM autoscalers a CROSS JOIN edits e ON e.autoscaler = a.id"
                           " WHERE" BALLAST_AUTOSCALER_CONDITIONS
                           " AND e.time BETWEEN ?4 AND ?5 ORDER BY e.time, e.id",
                           EditEntryAt);
}

Result<std::vector<DelayEntry>> Reader::DelaysInRuns(const HistoryQuery& query) {
  return Select<DelayEntry>(
      query,
      "SELECT a.uid, a.kind, a.namespace, a.name, a.period, y.since, y.time,"
      " y.took, y.slowest FROM autoscalers a CROSS JOIN delays y"
      " ON y.autoscaler = a.id WHERE" BALLAST_AUTOSCALER_CONDITIONS
      " AND y.time >= ?4 AND y.since BETWEEN ?4 AND ?5 AND y.time <="
      " (SELECT coalesce(d.until, y.time) FROM decisions d WHERE"
      " d.autoscaler = a.id AND d.time <= y.since"
      " ORDER BY d.time DESC, d.id DESC LIMIT 1) ORDER BY y.since, y.id",
      [](const Statement& row) -> Result<DelayEntry> {
        return DelayEntry{SubjectAt(row, 0), Duration{row.Integer(4)}, DelayAt(row, 5)};
      });
}

Result<GapFacts> Reader::Explain(const Subject* subject, Time from, Time to) {
  if (!database_) {
    return GapFacts();
  }
  return WithHeartbeat([&](const Heartbeat& heartbeat) {
    return ReadGapFacts(*database_, subject, from, to, heartbeat);
  });
}

Result<DecisionPage> Reader::ReadDecisionPage(const HistoryQuery& query,
                                              const AutoscalerPlace& from) {
  DecisionPage page;
  if (!database_) {
    return page;
  }
  ASSIGN_OR_RETURN(const auto autoscalers, ReadAutoscalers(query, from));
  for (const auto& [id, subject] : autoscalers) {
    Place place = from.place;
    if (subject.uid != from.uid) {
      ASSIGN_OR_RETURN(place, FirstPlace(id, query));
    }
    ASSIGN_OR_RETURN(const bool all, WithHeartbeat([&](const Heartbeat& heartbeat) {
                       return AddDecisions(id, query, heartbeat, place, page.items);
                     }));
    if (!all) {
      const Entry& last = page.items.back().entry;
      page.next = AutoscalerPlace{subject.key, subject.uid, {last.time, last.id}};
      return page;
    }
  }
  return page;
}

Result<EvaluationPage> Reader::ReadEvaluationPage(const HistoryQuery& query,
                                                  const AutoscalerPlace& from) {
  EvaluationPage page;
  if (!database_) {
    return page;
  }
  ASSIGN_OR_RETURN(const auto autoscalers, ReadAutoscalers(query, from));
  const Time begin = Time::FromUnixNanoseconds(kBeginOfTime);
  const Time until = query.until.value_or(Time::FromUnixNanoseconds(kEndOfTime));
  for (const auto& [id, subject] : autoscalers) {
    if (page.items.size() >= kPage) {
      page.next = AutoscalerPlace{subject.key, subject.uid, {begin, 0}};
      return page;
    }
    Time since = begin;
    if (query.since) {
      ASSIGN_OR_RETURN(const auto before,
                       ReadPoint(*database_, subject.uid, *query.since, damaged_));
      // Times of points are rounded to milliseconds.
      since = (before ? before->time : *query.since) - Duration::Milliseconds(1);
    }
    const Time series = subject.uid == from.uid ? from.place.time : begin;
    ASSIGN_OR_RETURN(PointsRead read, Together(*database_, [&] {
                       return ReadPoints(*database_, subject.uid, series, since, until, damaged_);
                     }));
    for (SeriesPoint& point : read.points) {
      page.items.push_back({subject, std::move(point)});
    }
    if (read.next) {
      page.next = AutoscalerPlace{subject.key, subject.uid, {*read.next, 0}};
      return page;
    }
  }
  return page;
}

Result<std::vector<Reader::ListedAutoscaler>> Reader::ReadAutoscalers(const HistoryQuery& query,
                                                                      const AutoscalerPlace& from) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT a.id, a.uid, a.kind, a.namespace, a.name FROM autoscalers a"
                         " WHERE" BALLAST_AUTOSCALER_CONDITIONS
                         " AND (a.namespace, a.name, a.uid) >= (?4, ?5, ?6)"
                         " ORDER BY a.namespace, a.name, a.uid"));
  BindQuery(rows, query, from.key.namespace_, from.key.name, from.uid);
  return rows.All<ListedAutoscaler>([](const Statement& row) -> Result<ListedAutoscaler> {
    return ListedAutoscaler{row.Integer(0), SubjectAt(row, 1)};
  });
}

Result<Place> Reader::FirstPlace(std::int64_t autoscaler, const HistoryQuery& query) {
  if (!query.since) {
    return Place();
  }
  // The last run that begins by `since` may reach beyond it.
  ASSIGN_OR_RETURN(Statement row,
                   database_->Prepare(
                       "SELECT coalesce((SELECT max(time) FROM decisions WHERE autoscaler = ?1 AND"
                       " time <= ?2), ?2)"));
  row.Bind(autoscaler, *query.since);
  TRY(row.Step());
  return Place{row.Moment(0), 0};
}

Result<bool> Reader::AddDecisions(std::int64_t autoscaler, const HistoryQuery& query,
                                  const Heartbeat& heartbeat, const Place& after,
                                  std::vector<FullEntry>& page) {
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare("SELECT " BALLAST_ENTRY_COLUMNS
                         ", s.json, c.json FROM decisions d JOIN autoscalers a ON a.id = ?1"
                         " LEFT JOIN snapshots s ON s.decision = d.id"
                         " LEFT JOIN conclusions c ON c.decision = d.id"
                         " WHERE d.autoscaler = ?1 AND (d.time, d.id) > (?2, ?3) AND d.time <= ?6"
                         " AND coalesce(d.until, max(d.time, ?4)) >= ?5"
                         " ORDER BY d.time, d.id"));
  rows.Bind(autoscaler, after.time, after.id, heartbeat.evaluated,
            OrElse(query.since, kBeginOfTime), OrElse(query.until, kEndOfTime));
  std::size_t size = 0;
  for (const FullEntry& one : page) {
    size += SizeOf(one);
  }
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) {
      return true;
    }
    FullEntry one{EntryAt(rows, heartbeat), DocumentsAt(rows, kEntryColumns, damaged_), {}};
    ASSIGN_OR_RETURN(one.reasons, ReadReasons(*database_, one.entry, damaged_));
    size += SizeOf(one);
    page.push_back(std::move(one));
    if (page.size() >= kPage || size >= kPageSize) {
      return false;
    }
  }
}

}  // namespace ballast::store
