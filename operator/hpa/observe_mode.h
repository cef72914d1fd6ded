// What a session does with an HPA that another controller scales: records what that one did
// (hpa_observer.h), and compares a shadow's decisions with it (agreement.h). It needs nothing from
// the API server, except who changed the replicas if the other controller did not.
//
// Thread-safety: belongs to one HPA; one thread at a time.
#pragma once

#include <optional>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/hpa/agreement.h"
#include "operator/hpa/hpa_observer.h"
#include "operator/hpa/shadow_metrics.h"
#include "operator/session/autoscaler_memory.h"
#include "operator/session/ports.h"
#include "operator/session/requests.h"
#include "operator/session/scale_observer.h"
#include "operator/session/session_options.h"

namespace ballast::hpa {

class ObserveMode {
 public:
  // The arguments must outlive the ObserveMode.
  ObserveMode(const session::Ports& ports, const session::SessionOptions& options,
              const ShadowMetrics& metrics)
      : ports_(ports), options_(options), metrics_(metrics) {}

  // Continues from what the session knows: of an earlier run, or of its own evaluations.
  void Continue(const session::AutoscalerMemory& memory, const session::ScaleObserver& scale) {
    observer_ = HpaObserver(memory.last_evaluation(), scale.replicas());
  }

  struct Looked {
    // How soon to look again, if before the period is over.
    std::optional<Duration> again = std::nullopt;
    // Nothing is recorded, because it has to be read first who set the replicas.
    bool asks_who_set = false;
  };
  // Records what the other controller did, as far as `find` and the HPA's status tell; what it
  // scaled counts in `memory`. `period`: between two looks. Without `shadow` nothing is known of
  // its recommendations. `read`: what was read for it.
  Looked Look(const api::Autoscaler& hpa, Duration period, bool shadow,
              const HpaObserver::FindEvent& find, const session::MetricsAnswer& read,
              session::AutoscalerMemory& memory);
  // Compares a shadow's decision, made at `now`, with the count that the HPA's controller asks for.
  // One that computed nothing stays at the present count, which agrees with nothing.
  void Judge(const engine::Snapshot& snapshot, const engine::Decision& decision, Time now);
  // This process scaled the HPA: what was seen before says nothing about what comes.
  void StartAnew();

 private:
  // Counts a verdict, and logs it if it is news.
  void Tell(const engine::Snapshot& snapshot, const engine::Decision& decision,
            Agreement::Judgement verdict);

  const session::Ports& ports_;
  const session::SessionOptions& options_;
  const ShadowMetrics& metrics_;
  HpaObserver observer_;
  Agreement agreement_;
  Agreement::Judgement verdict_ = Agreement::Judgement::kTooEarly;  // the last one
};

}  // namespace ballast::hpa
