#include "operator/cli/history_plot.h"

#include "api/autoscaling/types.h"
#include "operator/cli/plot_html.h"
#include "operator/explain/plot.h"

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
  if (query.since && query.until && *query.since >= *query.until) {
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

Result<Picture> DrawHistory(store::History& history, const Selection& selection,
                            const PlotScreen& screen) {
  ASSIGN_OR_RETURN(const auto query, PlotQuery(history, selection));
  ASSIGN_OR_RETURN(const auto plot, explain::MakePlot(history, query, PlotColumnsFor(screen)));
  return Picture{PlotText(plot, screen), NoteOn(plot, screen.zone)};
}

Result<Picture> HistoryPage(store::History& history, const Selection& selection) {
  ASSIGN_OR_RETURN(const auto query, PlotQuery(history, selection));
  ASSIGN_OR_RETURN(const auto plot, explain::MakePlot(history, query, kPageColumns));
  return Picture{PlotHtml(plot, selection.zone), NoteOn(plot, selection.zone)};
}

}  // namespace ballast::cli
