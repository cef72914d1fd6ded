// A plot as one HTML page without references to anything else: SVG, with values and reasons where
// the pointer is, and a table of the events. The page is also well-formed XML.
//
// Thread-safety: pure function that reads the process's time zone, which must not change meanwhile.
// Errors: none. All texts from the records are escaped.
#pragma once

#include <cstddef>
#include <string>

#include "operator/cli/terminal/times.h"
#include "operator/explain/plot.h"

namespace ballast::cli {

// How many columns the plot of a page should have.
inline constexpr std::size_t kPageColumns = 240;

std::string PlotHtml(const explain::Plot& plot, Zone zone);

}  // namespace ballast::cli
