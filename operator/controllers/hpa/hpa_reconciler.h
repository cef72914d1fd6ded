// An HPA, evaluated as its mode and other controllers allow (hpa_role.h).
//
// Thread-safety: one thread at a time.
// Errors: as Session.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "operator/controllers/hpa/hpa_observer.h"
#include "operator/controllers/hpa/hpa_options.h"
#include "operator/controllers/hpa/hpa_role.h"
#include "operator/controllers/hpa/other_controllers.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/reconciler.h"
#include "operator/controllers/requests.h"
#include "operator/controllers/session_options.h"

namespace ballast::controllers {

class HpaReconciler final : public Reconciler {
 public:
  // What all HPAs share.
  struct Surroundings {
    const Ports& ports;
    const SessionOptions& options;
    const HpaOptions& hpa_options;
    OtherControllers& others;
    // As HpaObserver::FindEvent, of that HPA.
    std::function<std::optional<SeenRescale>(const api::Autoscaler& hpa, std::int32_t size,
                                             Time since)>
        find_event;
  };

  // `around` must outlive the HpaReconciler.
  HpaReconciler(const Surroundings& around, const api::Autoscaler& hpa);

  Progress Begin(Session::AutoscalerPointer hpa, const MetricsAnswer& answer) override;
  Progress Resume(const Answer& answer) override;
  void Forget() override;

 private:
  HpaRole::RoleAction NextAction(const api::Autoscaler& hpa, const MetricsAnswer& answer);
  NextEvaluation EndOfMarks(const api::Autoscaler& hpa, const StatusAnswer& answer);

  const Surroundings& around_;
  const api::ObjectKey key_;
  HpaRole role_;
  Session::AutoscalerPointer marked_;  // only its marks are being written; null: they are not
};

}  // namespace ballast::controllers
