// `ballast history -o plot` and `-o html`: one autoscaler's history as a picture.
//
// Thread-safety: main thread only.
// Errors: kInvalid: the selection is not one autoscaler; those of QueryFor and MakePlot.
#pragma once

#include <string>

#include "api/base/result.h"
#include "operator/cli/plot_text.h"
#include "operator/cli/selection.h"
#include "store/history.h"

namespace ballast::cli {

// The picture for standard output, and what to say beside it.
struct Picture {
  std::string text;
  std::string note;  // what was left out, and how to get it; may be empty
};

Result<Picture> DrawHistory(store::History& history, const Selection& selection,
                            const PlotScreen& screen);

// The same as a page.
Result<Picture> HistoryPage(store::History& history, const Selection& selection);

}  // namespace ballast::cli
