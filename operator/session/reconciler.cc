#include "operator/session/reconciler.h"

#include "operator/session/evaluation_record.h"

namespace ballast::session {

bool Reconciler::Has(const MetricsAnswer& answer, const FetchMetrics& needed) {
  const Session::AutoscalerPointer& had = answer.request.autoscaler;
  const Session::AutoscalerPointer& now = needed.autoscaler;
  const bool is_same = had == now || (had != nullptr && had->metadata.uid == now->metadata.uid &&
                                      GenerationOf(*had) == GenerationOf(*now));
  const FetchMetrics& read = answer.request;
  return is_same && (read.metrics || !needed.metrics) && (read.scale || !needed.scale) &&
         (read.stored || !needed.stored) && (read.live != nullptr || needed.live == nullptr) &&
         (read.managed || !needed.managed);
}

}  // namespace ballast::session
