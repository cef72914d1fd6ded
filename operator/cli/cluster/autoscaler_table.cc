#include "operator/cli/cluster/autoscaler_table.h"

#include <algorithm>

#include "api/base/human_duration.h"
#include "operator/cli/autoscaler_name.h"
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

// "2-10 in 3h5m (night)"; a time that has just passed is about to be seen.
std::string NextChangeOf(const Summary& summary, Time now) {
  const auto& next = summary.next_change;
  return next ? std::to_string(next->min_replicas) + "-" + std::to_string(next->max_replicas) +
                    " in " + HumanDuration(std::max(next->time - now, Duration())) + " (" +
                    OneLine(next->schedule) + ")"
              : "-";
}

}  // namespace

std::vector<Row> RowsOf(const std::vector<Summary>& all, const AutoscalerTableStyle& style) {
  std::vector<Row> rows;
  if (style.headers) {
    rows.push_back({"NAMESPACE", "NAME", "MIN", "MAX", "REPLICAS", "DESIRED", "LIMITED BY", "READY",
                    "REASON", "MODE", "LAST SCALED"});
    if (style.wide) {
      rows.back().insert(rows.back().end(), {"TARGET", "SCHEDULES", "NEXT CHANGE", "MESSAGE"});
    }
  }
  for (const Summary& s : all) {
    const std::string ready = OneLine(s.ready);
    const Duration ago = s.last_scale_time ? style.now - *s.last_scale_time : Duration();
    rows.push_back({s.namespace_, api::PrintName(s.kind, s.name), std::to_string(s.min),
                    std::to_string(s.max), std::to_string(s.current), std::to_string(s.desired),
                    OrDash(s.limited_by), style.colour ? Paint(ColourOf(s), ready) : ready,
                    OrDash(s.reason), OrDash(s.mode),
                    s.last_scale_time ? HumanDuration(std::max(ago, Duration())) + " ago" : "-"});
    if (style.wide) {
      rows.back().insert(rows.back().end(), {OneLine(s.target), SchedulesOf(s),
                                             NextChangeOf(s, style.now), OneLine(s.message)});
    }
  }
  return rows;
}

}  // namespace ballast::cli
