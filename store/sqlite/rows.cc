#include "store/sqlite/rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/packing/compress.h"

namespace ballast::store {
namespace {

// What cannot be read is no longer known.
Disposition DispositionAt(const Statement& row, int column) {
  const auto disposition = ParseDisposition(row.Text(column));
  return disposition.ok() ? *disposition : Disposition::kUnknown;
}

}  // namespace

Subject SubjectAt(const Statement& row, int column) {
  return {std::string(row.Text(column)),
          std::string(row.Text(column + 1)),
          {std::string(row.Text(column + 2)), std::string(row.Text(column + 3))}};
}

Entry EntryAt(const Statement& row, const Heartbeat& heartbeat) {
  Entry entry;
  entry.id = row.Integer(0);
  entry.subject = SubjectAt(row, 1);
  entry.time = row.Moment(5);
  entry.open = row.IsNull(6);
  entry.until = entry.open ? std::max(entry.time, heartbeat.evaluated) : row.Moment(6);
  if (!row.IsNull(7)) {
    entry.evaluations = row.Integer(7);
  }
  entry.current_replicas = row.Integer32(8);
  entry.desired_replicas = row.Integer32(9);
  entry.reason = row.Text(10);
  entry.message = row.Text(11);
  entry.disposition = DispositionAt(row, 12);
  entry.error = row.Text(13);
  entry.settled = row.OptionalMoment(14);
  entry.period = Duration{row.Integer(15)};
  entry.engine = row.Integer(16);
  entry.concluded = entry.disposition;
  entry.concluded_error = entry.error;
  if (!row.IsNull(17)) {
    entry.concluded = DispositionAt(row, 17);
    entry.concluded_error = row.Text(18);
  }
  entry.resumed = row.OptionalMoment(19);
  entry.late = row.Integer(20) != 0;
  const auto made_by = ParseMadeBy(row.Text(21));
  entry.made_by = made_by.ok() ? *made_by : MadeBy::kEvaluated;
  entry.heartbeats = entry.open ? heartbeat.period : std::nullopt;
  return entry;
}

Documents DocumentsAt(const Statement& row, int column, std::int64_t& damaged) {
  const auto read = [&](int at) -> std::string {
    if (row.Blob(at).empty()) {
      return "";
    }
    auto text = Decompress(row.Blob(at));
    damaged += text.ok() ? 0 : 1;
    return text.ok() ? std::move(text).value() : "";
  };
  Documents documents;
  documents.snapshot = read(column);
  documents.conclusion = read(column + 1);
  return documents;
}

Result<ForeignChangeEntry> ForeignChangeEntryAt(const Statement& row) {
  return ForeignChangeEntry{SubjectAt(row, 0),
                            {row.Moment(4), row.Integer32(5), row.Integer32(6),
                             std::string(row.Text(7)), row.OptionalMoment(8)}};
}

Result<EditEntry> EditEntryAt(const Statement& row) {
  EditEntry entry{SubjectAt(row, 0),
                  {row.Moment(4), std::string(row.Text(5)), std::string(row.Text(6)),
                   std::string(row.Text(7)), std::string(row.Text(8)), row.OptionalMoment(9)},
                  std::nullopt};
  if (!row.IsNull(10)) {
    entry.decision = row.Integer(10);
  }
  return entry;
}

}  // namespace ballast::store
