// One plot of several: each is of a ledger of its own, which has what its pod did while it led.
#pragma once

#include <optional>
#include <vector>

#include "operator/explain/plot.h"

namespace ballast::explain {

// What a plot of several ledgers is of.
struct PlotFrame {
  Time from;
  Time to;
  std::optional<Time> left;  // as Plot::left

  friend bool operator==(const PlotFrame&, const PlotFrame&) = default;
};

// Of plots that were made with the same query on several ledgers: from the earliest begin to the
// latest end, kPlotSpan at most unless `since` was asked for. There must be a plot.
PlotFrame FrameOf(const std::vector<Plot>& plots, bool since);

// One plot of those, which must begin at the same time and have as many columns of the same width.
// A column has what any of them has in it, and an event that several have once. There must be one.
Plot MergePlots(std::vector<Plot> plots);

}  // namespace ballast::explain
