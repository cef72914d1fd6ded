#include "operator/cli/ledger/history_parse.h"

#include <optional>
#include <string_view>

#include "store/records.h"

namespace ballast::cli {
namespace {

// A required time.
void ReadTime(const json::Cursor& in, std::string_view name, Time& out) {
  json::Read(in.Required(name), out);
}

void ReadTime(const json::Cursor& in, std::string_view name, std::optional<Time>& out) {
  if (Time time; json::Read(in.Member(name), time)) {
    out = time;
  }
}

store::Subject ReadSubject(const json::Cursor& in) {
  store::Subject subject;
  in.Required("kind").Read(subject.kind);
  in.Required("namespace").Read(subject.key.namespace_);
  in.Required("name").Read(subject.key.name);
  in.Required("uid").Read(subject.uid);
  return subject;
}

}  // namespace

store::Disposition ReadOutcome(const json::Cursor& in) {
  const json::Cursor outcome = in.Required("outcome");
  const auto disposition = store::ParseDisposition(outcome.Text());
  if (!disposition.ok()) {
    outcome.Fail("is not an outcome that this version knows");
    return store::Disposition::kNone;
  }
  return *disposition;
}

store::Entry ReadEntry(const json::Cursor& in) {
  store::Entry entry;
  in.Required("id").Read(entry.id);
  entry.subject = ReadSubject(in);
  ReadTime(in, "time", entry.time);
  ReadTime(in, "until", entry.until);
  in.Required("open").Read(entry.open);
  in.Member("evaluations").Read(entry.evaluations);
  in.Required("currentReplicas").Read(entry.current_replicas);
  in.Required("desiredReplicas").Read(entry.desired_replicas);
  in.Required("reason").Read(entry.reason);
  in.Required("message").Read(entry.message);
  const json::Cursor made_by = in.Required("madeBy");
  if (const auto parsed = store::ParseMadeBy(made_by.Text()); parsed.ok()) {
    entry.made_by = *parsed;
  } else {
    made_by.Fail("is not a record that this version knows");
  }
  entry.disposition = ReadOutcome(in);
  in.Member("engineVersion").Read(entry.engine);
  in.Member("error").Read(entry.error);
  ReadTime(in, "settled", entry.settled);
  return entry;
}

explain::Gap ReadGap(const json::Cursor& in) {
  explain::Gap gap;
  ReadTime(in, "from", gap.from);
  ReadTime(in, "to", gap.to);
  in.Required("cause").Read(gap.cause);
  return gap;
}

store::ForeignChangeEntry ReadForeignChange(const json::Cursor& in) {
  store::ForeignChangeEntry entry;
  entry.subject = ReadSubject(in);
  ReadTime(in, "time", entry.change.time);
  in.Required("from").Read(entry.change.from);
  in.Required("to").Read(entry.change.to);
  in.Required("manager").Read(entry.change.manager);
  ReadTime(in, "managed", entry.change.managed);
  return entry;
}

store::EditEntry ReadEdit(const json::Cursor& in) {
  store::EditEntry entry;
  entry.subject = ReadSubject(in);
  ReadTime(in, "time", entry.edit.time);
  in.Required("field").Read(entry.edit.field);
  in.Required("before").Read(entry.edit.before);
  in.Required("after").Read(entry.edit.after);
  in.Required("manager").Read(entry.edit.manager);
  ReadTime(in, "managed", entry.edit.managed);
  in.Member("decision").Read(entry.decision);
  return entry;
}

}  // namespace ballast::cli
