// A plot as JSON, so that another program can draw it.
#pragma once

#include <string>

#include "operator/explain/plot.h"

namespace ballast::explain {

// One object. Times are RFC 3339, the width of a column is a Go duration. A range is {"low",
// "high"}; what a column does not have is left out, or null in the arrays by metric.
std::string PlotJson(const Plot& plot);

}  // namespace ballast::explain
