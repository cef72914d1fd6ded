#include "operator/controllers/policy_reconciler.h"

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/validation.h"
#include "operator/cluster/conflicts.h"

namespace ballast::controllers {

session::Progress PolicyReconciler::Begin(session::Session::AutoscalerPointer policy,
                                          const session::MetricsAnswer& answer) {
  const auto conflict = cluster::FindConflict(*policy, watches_);
  // The scale is for the status of one that is refused.
  session::FetchMetrics needed{policy, options_.PeriodOf(*policy), !conflict};
  if (!Has(answer, needed)) {
    return needed;
  }
  if (conflict) {
    return session().Refuse(policy, {api::kConflicted, conflict->reason, conflict->message},
                            answer);
  }
  if (const auto errors = api::ValidateSpec(*policy); !errors.empty()) {
    return session().Refuse(
        policy, {"", api::kInvalidSpec, errors.front().field + ": " + errors.front().message},
        answer);
  }
  return session().Evaluate(policy, answer);
}

}  // namespace ballast::controllers
