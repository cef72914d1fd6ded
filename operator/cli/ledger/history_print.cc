#include "operator/cli/ledger/history_print.h"

#include "api/autoscaling/types.h"

namespace ballast::cli {

using store::Disposition;
using store::Entry;

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
