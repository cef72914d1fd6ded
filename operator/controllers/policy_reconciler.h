// A policy, evaluated, or refused if it is in conflict or has an invalid spec.
//
// Thread-safety: one thread at a time.
// Errors: as Session.
#pragma once

#include "operator/cluster/watches.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/reconciler.h"
#include "operator/controllers/session_options.h"

namespace ballast::controllers {

class PolicyReconciler final : public Reconciler {
 public:
  // All but `policy` must outlive the PolicyReconciler.
  PolicyReconciler(const cluster::Watches& watches, const Ports& ports,
                   const SessionOptions& options, const api::Autoscaler& policy)
      : Reconciler(ports, options, policy), watches_(watches), options_(options) {}

  Progress Begin(Session::AutoscalerPointer policy, const MetricsAnswer& answer) override;

 private:
  const cluster::Watches& watches_;
  const SessionOptions& options_;
};

}  // namespace ballast::controllers
