#include "operator/cli/ledger/history_print.h"

#include "api/autoscaling/types.h"

namespace ballast::cli {

using store::Disposition;
using store::Entry;

namespace {

void WriteSubject(json::Writer& out, const store::Subject& subject) {
  out.Field("kind", subject.kind);
  out.Field("namespace", subject.key.namespace_);
  out.Field("name", subject.key.name);
  out.Field("uid", subject.uid);
}

}  // namespace

std::string NothingRecorded(const Selection& selected, bool changes_only) {
  const AutoscalerChoice& of = selected.of;
  std::string where = !of.name.empty()              ? " of " + of.name
                      : of.kind == api::kPolicyKind ? " of AutoScalePolicies"
                      : of.kind == api::kHpaKind    ? " of HorizontalPodAutoscalers"
                                                    : "";
  where += of.namespace_.empty() ? "" : " in namespace " + of.namespace_;
  where += selected.since.empty() && selected.until.empty() ? "" : " in this time";
  return std::string(changes_only ? "No change of replicas" : "Nothing") + " is recorded" +
         (where.empty() ? " yet" : where) + ".\n";
}

std::string Replicas(const Entry& entry) {
  const std::string current = std::to_string(entry.current_replicas);
  return entry.changes() ? current + " -> " + std::to_string(entry.desired_replicas) : current;
}

std::string Outcome(const Entry& entry) {
  switch (entry.disposition) {
    case Disposition::kNone:
      return "";
    case Disposition::kDryRun:
      return entry.subject.kind == api::kHpaKind ? "shadow" : "dry run";
    case Disposition::kIntended:
      return "in progress";
    default:
      return Name(entry.disposition);
  }
}

void WriteFields(json::Writer& out, const Entry& entry) {
  out.Field("id", entry.id);
  WriteSubject(out, entry.subject);
  out.Field("time", Print(entry.time));
  out.Field("until", Print(entry.until));
  out.Field("open", entry.open);
  out.Field("evaluations", entry.evaluations);
  out.Field("currentReplicas", entry.current_replicas);
  out.Field("desiredReplicas", entry.desired_replicas);
  out.Field("reason", entry.reason);
  out.Field("message", entry.message);
  out.Field("madeBy", store::Name(entry.made_by));
  out.Field("outcome", store::Name(entry.disposition));
  if (entry.evaluated()) {
    out.Field("engineVersion", entry.engine);
  }
  if (!entry.error.empty()) {
    out.Field("error", entry.error);
  }
  if (entry.settled) {
    out.Field("settled", Print(*entry.settled));
  }
}

void WriteGap(json::Writer& out, const explain::Gap& gap) {
  out.Object("gap", [&] {
    out.Field("from", Print(gap.from));
    out.Field("to", Print(gap.to));
    out.Field("cause", gap.cause);
  });
}

void WriteForeignChange(json::Writer& out, const store::ForeignChangeEntry& foreign_change) {
  const store::ForeignChange& change = foreign_change.change;
  out.Object("foreignChange", [&] {
    WriteSubject(out, foreign_change.subject);
    out.Field("time", Print(change.time));
    out.Field("from", change.from);
    out.Field("to", change.to);
    out.Field("manager", change.manager);
    if (change.managed) {
      out.Field("managed", Print(*change.managed));
    }
  });
}

void WriteFields(json::Writer& out, const store::EditEntry& entry) {
  const auto& [subject, edit, decision, ledger] = entry;
  WriteSubject(out, subject);
  out.Field("time", Print(edit.time));
  out.Field("field", edit.field);
  out.Field("before", edit.before);
  out.Field("after", edit.after);
  out.Field("manager", edit.manager);
  if (edit.managed) {
    out.Field("managed", Print(*edit.managed));
  }
  out.Field("decision", decision);
}

std::string DescribeEdit(const store::Edit& edit, Zone zone) {
  std::string text = edit.field;
  if (!edit.before.empty() || !edit.after.empty()) {
    text += " " + (edit.before.empty() ? "(none)" : edit.before) + " -> " +
            (edit.after.empty() ? "(none)" : edit.after);
  }
  if (!edit.manager.empty()) {
    text += " by " + edit.manager;
  }
  if (edit.managed) {
    text += " at " + PrintNear(zone, *edit.managed, edit.time);
  }
  if (edit.field == store::kWholeSpec) {
    text += ", while this operator did not watch it";
  }
  return text;
}

std::string DescribeForeignChange(const store::ForeignChange& change, Zone zone) {
  return (change.manager.empty() ? "another client" : change.manager) + " set the replicas" +
         (change.managed ? " at " + PrintNear(zone, *change.managed, change.time) : "");
}

}  // namespace ballast::cli
