// A plot as JSON, so that it can be drawn elsewhere than where the history is.
//
// Errors: ParsePlot: kInvalid: not what PlotJson prints.
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"
#include "operator/explain/plot.h"

namespace ballast::explain {

// One object. Times are RFC 3339, the width of a column is a Go duration. A range is {"low",
// "high"}; what a column does not have is left out, or null in the arrays by metric.
std::string PlotJson(const Plot& plot);

Result<Plot> ParsePlot(std::string_view text);

}  // namespace ballast::explain
