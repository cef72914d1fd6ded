#include "store/reader.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "store/files.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace ballast::store {
namespace {

Time AsTime(std::int64_t nanoseconds) { return Time::FromUnixNanoseconds(nanoseconds); }

Subject SubjectAt(const Statement& row, int column) {
  return {std::string(row.Text(column)),
          std::string(row.Text(column + 1)),
          {std::string(row.Text(column + 2)), std::string(row.Text(column + 3))}};
}

Result<Entry> EntryAt(const Statement& row, Time heartbeat) {
  Entry entry;
  entry.id = row.Integer(0);
  entry.subject = SubjectAt(row, 1);
  entry.time = AsTime(row.Integer(5));
  entry.open = row.IsNull(6);
  entry.until = entry.open ? std::max(entry.time, heartbeat) : AsTime(row.Integer(6));
  if (!row.IsNull(7)) {
    entry.evaluations = row.Integer(7);
  }
  entry.current_replicas = static_cast<std::int32_t>(row.Integer(8));
  entry.desired_replicas = static_cast<std::int32_t>(row.Integer(9));
  entry.reason = row.Text(10);
  entry.message = row.Text(11);
  ASSIGN_OR_RETURN(entry.fate, ParseFate(std::string(row.Text(12))));
  entry.error = row.Text(13);
  if (!row.IsNull(14)) {
    entry.settled = AsTime(row.Integer(14));
  }
  return entry;
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::Open(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) {
    return Error{Code::kNotFound, path + ": no such file"};
  }
  if (HoldsNothing(path)) {
    return std::unique_ptr<Reader>(new Reader(nullptr));
  }
  ASSIGN_OR_RETURN(auto database, Database::Open(path, Access::kRead));
  auto version = SchemaVersion(*database);
  // A WAL database in a folder that must not be written cannot be shared with a writer, but a copy
  // can be read as it is.
  if (!version.ok() && version.error().code == Code::kUnavailable &&
      !std::filesystem::exists(path + "-wal")) {
    ASSIGN_OR_RETURN(database, Database::Open(path, Access::kImmutable));
    version = SchemaVersion(*database);
  }
  if (!version.ok()) {
    return version.error().In(path);
  }
  if (*version == 0) {
    database.reset();
  }
  return std::unique_ptr<Reader>(new Reader(std::move(database)));
}

Reader::Reader(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Reader::~Reader() = default;

Result<std::vector<Subject>> Reader::Subjects() {
  if (!database_) {
    return std::vector<Subject>();
  }
  ASSIGN_OR_RETURN(Statement rows,
                   database_->Prepare("SELECT uid, kind, namespace, name FROM autoscalers"
                                      " ORDER BY namespace, name, id"));
  std::vector<Subject> subjects;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) {
      return subjects;
    }
    subjects.push_back(SubjectAt(rows, 0));
  }
}

Result<std::vector<Entry>> Reader::History(const HistoryQuery& query) {
  if (!database_) {
    return std::vector<Entry>();
  }
  // One transaction: the heartbeat and the runs that it prolongs belong together.
  TRY(database_->Run("BEGIN"));
  auto entries = ReadHistory(query);
  TRY(database_->Run("COMMIT"));
  return entries;
}

Result<std::vector<Entry>> Reader::ReadHistory(const HistoryQuery& query) {
  ASSIGN_OR_RETURN(const auto heartbeat,
                   database_->Integer("SELECT evaluated FROM heartbeat WHERE id = 1"));
  ASSIGN_OR_RETURN(
      Statement rows,
      database_->Prepare(
          "SELECT d.id, a.uid, a.kind, a.namespace, a.name, d.time, d.until, d.evaluations,"
          " d.current, d.desired, d.reason, d.message, d.fate, d.error, d.settled"
          " FROM autoscalers a CROSS JOIN decisions d ON d.autoscaler = a.id"
          " WHERE (?1 IS NULL OR a.namespace = ?1) AND (?2 IS NULL OR a.name = ?2)"
          " AND coalesce(d.until, max(d.time, ?3)) >= ?4 AND d.time <= ?5"
          " ORDER BY d.time, d.id"));
  using Text = std::optional<std::string_view>;
  rows.Bind(
      query.key ? Text(query.key->namespace_) : std::nullopt,
      query.key ? Text(query.key->name) : std::nullopt, heartbeat,
      query.since ? query.since->unix_nanoseconds() : std::numeric_limits<std::int64_t>::min(),
      query.until ? query.until->unix_nanoseconds() : std::numeric_limits<std::int64_t>::max());
  std::vector<Entry> entries;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) {
      return entries;
    }
    ASSIGN_OR_RETURN(Entry entry, EntryAt(rows, AsTime(heartbeat)));
    entries.push_back(std::move(entry));
  }
}

}  // namespace ballast::store
