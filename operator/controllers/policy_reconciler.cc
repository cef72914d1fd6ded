#include "operator/controllers/policy_reconciler.h"

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/mode.h"
#include "api/autoscaling/validation.h"

namespace ballast::controllers {

std::optional<engine::Refusal> FindRefusal(const api::Autoscaler& policy,
                                           const std::optional<cluster::Conflict>& conflict) {
  if (conflict) {
    return engine::Refusal{api::kConflicted, conflict->reason, conflict->message};
  }
  if (const auto errors = api::ValidateSpec(policy); !errors.empty()) {
    return engine::Refusal{"", api::kInvalidSpec, Print(errors.front())};
  }
  return std::nullopt;
}

std::optional<engine::Refusal> PolicyReconciler::RefusalOf(
    const session::Session::AutoscalerPointer& policy,
    const std::optional<cluster::Conflict>& conflict) {
  if (!conflict && policy == valid_) {
    return std::nullopt;
  }
  auto refusal = FindRefusal(*policy, conflict);
  if (!refusal) {
    valid_ = policy;
  }
  return refusal;
}

session::Progress PolicyReconciler::Begin(session::Session::AutoscalerPointer policy,
                                          const session::MetricsAnswer& answer) {
  const auto conflict = cluster::FindConflict(*policy, watches_);
  const auto refusal = RefusalOf(policy, conflict);
  // The scale is for the status of one that is refused.
  session::FetchMetrics needed =
      session().Completed({policy, session().options().PeriodOf(*policy), !conflict}, !refusal);
  if (!Has(answer, needed)) {
    session().NoteEdits(*policy);  // one of the target breaks evaluations off
    needed.last = session().memory().last();
    // The count with which they begin is remembered.
    needed.anew =
        !session().memory().continues() && api::ModeOf(policy->spec).evaluates && !refusal;
    return needed;
  }
  return refusal ? session().Refuse(policy, *refusal, answer) : session().Evaluate(policy, answer);
}

}  // namespace ballast::controllers
