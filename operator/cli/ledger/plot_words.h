// What a plot says in words and numbers.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "operator/cli/terminal/times.h"
#include "operator/explain/plot.h"

namespace ballast::cli {

// A value of a metric with three digits ("1.25k", "112%"); an empty `metric`: a count.
std::string FigureText(double value, const explain::PlotMetric* metric = nullptr);
// "2 to 8", or "2".
std::string RangeText(const explain::PlotRange& range, const explain::PlotMetric* metric = nullptr);

// Over all columns; absent: there is none.
std::optional<explain::PlotRange> TargetsOf(const explain::Plot& plot, std::size_t metric);
// minReplicas and maxReplicas of the last column that has them.
std::optional<explain::PlotRange> LastLimits(const explain::Plot& plot);

// The upper ends of the scales, over zero. Limits far beyond the replicas are out of scale, so that
// the replicas can be seen.
double TopOfReplicas(const explain::Plot& plot);
double TopOfMetric(const explain::Plot& plot, std::size_t metric);

// "Resource/cpu: 20% to 112%, target 60%"
std::string MetricTitle(const explain::Plot& plot, std::size_t metric);

// The reasons that held the count, in the order in which they first occurred.
std::vector<std::string> HoldsOf(const explain::Plot& plot);

// A round time below the columns.
struct PlotTick {
  std::size_t column = 0;
  std::string label;  // with the date if the plot has several
};
// At least `space` columns (over zero) apart.
std::vector<PlotTick> TicksOf(const explain::Plot& plot, Zone zone, std::size_t space);

// How many events of each kind there were.
std::array<std::size_t, explain::kPlotEventKinds> CountEvents(const explain::Plot& plot);
// "scaled out"
const char* NameOf(explain::PlotEventKind kind);

}  // namespace ballast::cli
