// A policy, evaluated, or refused if it is in conflict or has an invalid spec.
//
// Thread-safety: one thread at a time.
// Errors: as Session.
#pragma once

#include "operator/cluster/watches.h"
#include "operator/session/ports.h"
#include "operator/session/reconciler.h"
#include "operator/session/session_options.h"

namespace ballast::controllers {

class PolicyReconciler final : public session::Reconciler {
 public:
  // All but `policy` must outlive the PolicyReconciler.
  PolicyReconciler(const cluster::Watches& watches, const session::Ports& ports,
                   const session::SessionOptions& options, const api::Autoscaler& policy)
      : session::Reconciler(ports, options, policy), watches_(watches), options_(options) {}

  session::Progress Begin(session::Session::AutoscalerPointer policy,
                          const session::MetricsAnswer& answer) override;

 private:
  const cluster::Watches& watches_;
  const session::SessionOptions& options_;
};

}  // namespace ballast::controllers
