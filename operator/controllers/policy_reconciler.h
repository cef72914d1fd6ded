// A policy, evaluated, or refused if it is in conflict or has an invalid spec.
//
// Thread-safety: one thread at a time.
// Errors: as Session.
#pragma once

#include <optional>

#include "api/autoscaling/types.h"
#include "operator/cluster/conflicts.h"
#include "operator/cluster/watches.h"
#include "operator/engine/refusal.h"
#include "operator/session/ports.h"
#include "operator/session/reconciler.h"
#include "operator/session/session_options.h"

namespace ballast::controllers {

// Why the policy is not evaluated; nullopt: it is.
std::optional<engine::Refusal> FindRefusal(const api::Autoscaler& policy,
                                           const std::optional<cluster::Conflict>& conflict);

class PolicyReconciler final : public session::Reconciler {
 public:
  // All but `policy` must outlive the PolicyReconciler.
  PolicyReconciler(const cluster::Watches& watches, const session::Ports& ports,
                   const session::SessionOptions& options, const api::Autoscaler& policy)
      : session::Reconciler(ports, options, policy), watches_(watches) {}

  session::Progress Begin(session::Session::AutoscalerPointer policy,
                          const session::MetricsAnswer& answer) override;

 private:
  // As FindRefusal; a policy that was found valid is not validated again until it changes.
  std::optional<engine::Refusal> RefusalOf(const session::Session::AutoscalerPointer& policy,
                                           const std::optional<cluster::Conflict>& conflict);

  const cluster::Watches& watches_;
  session::Session::AutoscalerPointer valid_;  // null: none was
};

}  // namespace ballast::controllers
