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
#include "operator/hpa/hpa_observer.h"
#include "operator/hpa/hpa_options.h"
#include "operator/hpa/hpa_role.h"
#include "operator/hpa/other_controllers.h"
#include "operator/session/ports.h"
#include "operator/session/reconciler.h"
#include "operator/session/requests.h"
#include "operator/session/session_options.h"

namespace ballast::hpa {

class HpaReconciler final : public session::Reconciler {
 public:
  // What all HPAs share.
  struct Surroundings {
    const session::Ports& ports;
    const session::SessionOptions& options;
    const HpaOptions& hpa_options;
    OtherControllers& others;
    // As HpaObserver::FindEvent, of that HPA.
    std::function<std::optional<SeenRescale>(const api::Autoscaler& hpa, std::int32_t size,
                                             Time since)>
        find_event;
  };

  // `around` must outlive the HpaReconciler.
  HpaReconciler(const Surroundings& around, const api::Autoscaler& hpa);

  session::Progress Begin(session::Session::AutoscalerPointer hpa,
                          const session::MetricsAnswer& answer) override;
  session::Progress Resume(const session::Answer& answer) override;
  std::optional<session::WriteStatus> Forget() override;

 private:
  HpaRole::RoleAction NextAction(const api::Autoscaler& hpa, const session::MetricsAnswer& answer);
  session::NextEvaluation EndOfMarks(const api::Autoscaler& hpa,
                                     const session::StatusAnswer& answer);

  const Surroundings& around_;
  const api::ObjectKey key_;
  HpaRole role_;
  bool asks_who_set_ = false;  // the last look did, and waits for the answer
  session::Session::AutoscalerPointer
      marked_;  // only its marks are being written; null: they are not
};

}  // namespace ballast::hpa
