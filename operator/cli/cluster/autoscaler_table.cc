#include "operator/cli/cluster/autoscaler_table.h"

#include <algorithm>

#include "api/base/human_duration.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/row_fields.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/terminal.h"

namespace ballast::cli {
namespace {

Colour ColourOf(const Summary& summary) {
  return summary.healthy()            ? Colour::kGreen
         : summary.ready == "Unknown" ? Colour::kYellow
                                      : Colour::kRed;
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : OneLine(text); }

std::string SchedulesOf(const Summary& summary) {
  std::string text;
  for (const std::string& name : summary.schedules) {
    text += (text.empty() ? "" : ",") + OneLine(name);
  }
  return OrDash(text);
}

// "2-10 in 3h5m (night)", "2-10 hold All in 3h5m (freeze)"; a time that has just passed is about to
// be seen.
std::string NextChangeOf(const Summary& summary, Time now) {
  const auto& next = summary.next_change;
  if (!next) {
    return "-";
  }
  const bool holds = !next->hold.empty() && (next->hold != api::kHoldNone || summary.held);
  return std::to_string(next->min_replicas) + "-" + std::to_string(next->max_replicas) +
         (holds ? " hold " + OneLine(next->hold) : "") + " in " +
         HumanDuration(std::max(next->time - now, Duration())) + " (" + OneLine(next->schedule) +
         ")";
}

void List(RowFields& f, const Summary& s, const AutoscalerTableStyle& style) {
  const std::string ready = OneLine(s.ready);
  const auto& last = s.last_scale_time;
  f.Member("kind", s.kind);
  f("NAMESPACE", s.namespace_, "namespace", s.namespace_);
  f("NAME", api::PrintName(s.kind, s.name), "name", s.name);
  f.Member("target", s.target);
  f.Member("mode", s.mode);
  f("MIN", "minReplicas", s.min);
  f("MAX", "maxReplicas", s.max);
  f("REPLICAS", "currentReplicas", s.current);
  f("DESIRED", "desiredReplicas", s.desired);
  f.Column("LIMITED BY", OrDash(s.limited_by));
  f("READY", style.colour ? Paint(ColourOf(s), ready) : ready, "ready", s.ready);
  f("REASON", OrDash(s.reason), "reason", s.reason);
  f.Column("MODE", OrDash(s.mode));
  f.Member("message", s.message);
  f.Member("limitedBy", s.limited_by);
  f.Column("LAST SCALED",
           last ? HumanDuration(std::max(style.now - *last, Duration())) + " ago" : "-");
  f.Optional("lastScaleTime", last);
  f.Optional("schedules", s.schedules);
  f.Optional("nextChange", s.next_change);
  if (style.wide) {
    f.Column("TARGET", OneLine(s.target));
    f.Column("SCHEDULES", SchedulesOf(s));
    f.Column("NEXT CHANGE", NextChangeOf(s, style.now));
    f.Column("MESSAGE", OneLine(s.message));
  }
}

}  // namespace

std::vector<Row> RowsOf(const std::vector<Summary>& all, const AutoscalerTableStyle& style) {
  return RowsOf(all, style.headers, [&](RowFields& f, const Summary& s) { List(f, s, style); });
}

std::string JsonOf(const Summary& summary) {
  json::Writer out;
  RowFields f{&out};
  out.Object([&] { List(f, summary, {}); });
  return out.Take();
}

std::string JsonOf(const std::vector<Summary>& all) {
  json::Writer out;
  out.Object([&] {
    WriteObjects(out, "items", all, [](RowFields& f, const Summary& s) { List(f, s, {}); });
  });
  return out.Take();
}

}  // namespace ballast::cli
