// When other controllers were seen at work on HorizontalPodAutoscalers, whichever. One that has
// thousands of them, or asks slow metrics, looks at each but rarely, so that a claim (claim.h) may
// stand for minutes without being found; but it writes the status of some of them all the time.
//
// Thread-safety: any thread.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "operator/process/clock.h"

namespace ballast::hpa {

class OtherControllers {
 public:
  // The watch has the HPA like this. Call it whenever an HPA is looked at.
  void See(const api::Autoscaler& hpa, const process::Instant& now);
  // The HPA is gone.
  void Forget(const api::ObjectKey& hpa);

  struct Activity {
    process::SteadyTime last;  // when it was last seen to write the status of an HPA
    Duration longest_gap;      // between two such writes, while it was at work
  };
  // Of the controller of that name; absent: it was not seen within the last hour.
  std::optional<Activity> Of(const std::string& manager, const process::Instant& now) const;

 private:
  mutable std::mutex mutex_;                // guards: everything below
  std::map<api::ObjectKey, Time> written_;  // by HPA: when another controller wrote its status
  std::map<std::string, Activity> activities_;
};

}  // namespace ballast::hpa
