#include "operator/cli/ledger/line_fields.h"

#include "api/base/human_duration.h"
#include "operator/cli/ledger/history_print.h"

namespace ballast::cli {
namespace {

using store::Disposition;

// How long the result stayed the same, and the number of evaluations.
std::string Lasted(const store::Entry& entry) {
  if (entry.until == entry.time) {
    return "";
  }
  const std::string text = HumanDuration(entry.until - entry.time);
  if (entry.open) {
    return text + " so far";
  }
  return entry.evaluations ? text + " (" + std::to_string(*entry.evaluations) + "x)" : text;
}

Colour ColourOf(Disposition disposition) {
  switch (disposition) {
    case Disposition::kWritten:
      return Colour::kGreen;
    case Disposition::kIntended:
      return Colour::kYellow;
    case Disposition::kFailed:
    case Disposition::kUnknown:
      return Colour::kRed;
    case Disposition::kNone:
    case Disposition::kDryRun:
    case Disposition::kObserved:
      return Colour::kNone;
  }
  return Colour::kNone;
}

void List(LineFields& f, const store::Subject& subject) {
  f("kind", subject.kind);
  f("namespace", subject.key.namespace_);
  f("name", subject.key.name);
  f("uid", subject.uid);
}

}  // namespace

void List(LineFields& f, const store::Entry& entry) {
  f("id", entry.id);
  List(f, entry.subject);
  f("time", entry.time);
  f("until", entry.until);
  f.Member("open", entry.open);
  f("evaluations", entry.evaluations);
  f("currentReplicas", entry.current_replicas);
  f("desiredReplicas", entry.desired_replicas);
  f.Cell("REPLICAS", [&] { return Replicas(entry); });
  f("reason", entry.reason);
  f("message", entry.message);
  f.Member("madeBy", store::Name(entry.made_by));
  f("outcome", store::Name(entry.disposition));
  f.Cell(
      "OUTCOME", [&] { return Outcome(entry); }, ColourOf(entry.disposition));
  f.Cell("LASTED", [&] { return Lasted(entry); });
  if (entry.evaluated()) {
    f.Member("engineVersion", entry.engine);
  }
  if (!entry.error.empty()) {
    f("error", entry.error);
  }
  f.Member("settled", entry.settled);
  f.Cell("pod", entry.ledger);
}

void List(LineFields& f, const explain::Gap& gap) {
  f("time", "from", gap.from);
  f("until", "to", gap.to);
  f("message", "cause", gap.cause);
  f.Cell("outcome", "gap");
  f.Cell("OUTCOME", "-- gap --", Colour::kYellow);
  f.Cell("LASTED", [&] { return HumanDuration(gap.to - gap.from); });
}

void List(LineFields& f, const store::ForeignChangeEntry& foreign) {
  const store::ForeignChange& change = foreign.change;
  List(f, foreign.subject);
  f("time", change.time);
  f("currentReplicas", "from", change.from);
  f("desiredReplicas", "to", change.to);
  f.Cell("REPLICAS",
         [&] { return std::to_string(change.from) + " -> " + std::to_string(change.to); });
  f.Member("manager", change.manager);
  f.Member("managed", change.managed);
  f.Cell("message", [&] { return DescribeForeignChange(change, f.zone); });
  f.Cell("outcome", "foreign-change");
  f.Cell("OUTCOME", "by others", Colour::kYellow);
  f.Cell("pod", foreign.ledger);
}

void List(LineFields& f, const store::EditEntry& edited) {
  const store::Edit& edit = edited.edit;
  List(f, edited.subject);
  f("time", edit.time);
  f.Member("field", edit.field);
  f.Member("before", edit.before);
  f.Member("after", edit.after);
  f.Member("manager", edit.manager);
  f.Member("managed", edit.managed);
  f("id", "decision", edited.decision);
  f.Cell("message", [&] { return DescribeEdit(edit, f.zone); });
  f.Cell("outcome", "edit");
  f.Cell("OUTCOME", "edited");
  f.Cell("pod", edited.ledger);
}

}  // namespace ballast::cli
