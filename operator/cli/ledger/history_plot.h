// `ballast history -o plot` and `-o plot-json`: one autoscaler's history as a picture.
//
// Thread-safety: main thread only.
// Errors: ReadPlot: kInvalid: the selection is not one autoscaler; those of QueryFor and MakePlot.
#pragma once

#include <cstddef>
#include <string>

#include "api/base/result.h"
#include "operator/cli/ledger/plot_text.h"
#include "operator/cli/selection.h"
#include "operator/explain/plot.h"
#include "store/history.h"

namespace ballast::cli {

// What a picture is about, from a ledger.
Result<explain::Plot> ReadPlot(store::History& history, const Selection& selection,
                               std::size_t columns);

enum class PictureFormat { kText, kJson };

struct PictureStyle {
  PictureFormat format = PictureFormat::kText;
  PlotScreen screen;        // its zone is that of every format
  std::size_t columns = 0;  // of kJson
};

// How many columns the plot should have.
std::size_t ColumnsFor(const PictureStyle& style);

// The picture for standard output, and what to say beside it.
struct Picture {
  std::string text;
  std::string note;  // what was left out, and how to get it; may be empty
};

Picture Draw(const explain::Plot& plot, const PictureStyle& style);

}  // namespace ballast::cli
