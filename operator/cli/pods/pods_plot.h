// `ballast history -o plot` and the like from outside the cluster: one picture of all ledgers.
//
// Thread-safety: main thread only.
// Errors: as ask_pods.h, and kInvalid for times that are none.
#pragma once

#include <cstddef>

#include "api/base/result.h"
#include "operator/cli/options.h"
#include "operator/cli/pods/ask_pods.h"
#include "operator/explain/plot.h"

namespace ballast::cli {

struct PodsPlot {
  explain::Plot plot;
  bool whole = true;  // false: a pod gave no answer, or a record is damaged, as standard error says
};

Result<PodsPlot> PlotOfPods(const PodOptions& options, const Selection& selected,
                            std::size_t columns);

}  // namespace ballast::cli
