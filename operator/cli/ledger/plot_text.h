// Draws a plot with the characters of a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "operator/cli/terminal/times.h"
#include "operator/explain/plot.h"

namespace ballast::cli {

struct PlotScreen {
  std::size_t width = 80;  // in columns; narrower than 40 counts as 40
  bool unicode = true;     // false: ASCII only
  Zone zone = Zone::kUtc;
};

// How many columns a plot for that screen should have.
std::size_t PlotColumnsFor(const PlotScreen& screen);

// No line takes more than the screen's width.
std::string PlotText(const explain::Plot& plot, const PlotScreen& screen);

}  // namespace ballast::cli
