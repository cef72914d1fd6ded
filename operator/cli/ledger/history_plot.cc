#include "operator/cli/ledger/history_plot.h"

#include "api/autoscaling/types.h"
#include "operator/explain/plot_json.h"

namespace ballast::cli {
namespace {

// What a plot is about.
Result<store::HistoryQuery> PlotQuery(store::History& history, const Selection& selection) {
  if (selection.of.name.empty()) {
    return Error{Code::kInvalid, "a plot shows one autoscaler: give its NAMESPACE/NAME"};
  }
  ASSIGN_OR_RETURN(auto query, QueryFor(history, selection));
  if (query.kind.empty()) {
    ASSIGN_OR_RETURN(const bool policy, history.Knows(*query.key, api::kPolicyKind));
    ASSIGN_OR_RETURN(const bool hpa, history.Knows(*query.key, api::kHpaKind));
    if (policy && hpa) {
      return Error{Code::kInvalid, "there are a policy and a HorizontalPodAutoscaler " +
                                       query.key->Print() + ": give --kind asp or --kind hpa"};
    }
  }
  if (query.since && query.since == query.until) {
    return Error{Code::kInvalid, "--since is not before --until"};
  }
  return query;
}

// What was left out.
std::string NoteOn(const explain::Plot& plot, Zone zone) {
  return plot.left ? "The history goes back to " + PrintIn(zone, *plot.left) + " " +
                         NameOf(zone, *plot.left) + ": add --since " + Print(*plot.left) +
                         " to see all of it.\n"
                   : "";
}

}  // namespace

Result<explain::Plot> ReadPlot(store::History& history, const Selection& selection,
                               std::size_t columns) {
  ASSIGN_OR_RETURN(const auto query, PlotQuery(history, selection));
  return explain::MakePlot(history, query, columns);
}

std::size_t ColumnsFor(const PictureStyle& style) {
  return style.format == PictureFormat::kText ? PlotColumnsFor(style.screen) : style.columns;
}

Picture Draw(const explain::Plot& plot, const PictureStyle& style) {
  if (style.format == PictureFormat::kText) {
    return {PlotText(plot, style.screen), NoteOn(plot, style.screen.zone)};
  }
  // The JSON says itself when the history begins.
  return {PlotJson(plot) + "\n", ""};
}

}  // namespace ballast::cli
