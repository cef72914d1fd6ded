// One write of a scale, sent once.
//
// Thread-safety: any thread, but one policy by one thread at a time.
#pragma once

#include <optional>

#include "api/autoscaling/types.h"
#include "api/decision/decision.h"
#include "operator/cluster/scale_targets.h"
#include "operator/kube/client.h"
#include "operator/kube/resource.h"

namespace ballast::controllers {

class ScaleWriter {
 public:
  // Both must outlive this.
  ScaleWriter(kube::Client& client, cluster::ScaleTargets& targets)
      : client_(client), targets_(targets) {}

  // Changes the scale that the policy scales, which `resource` serves; the intent is on record by
  // now. kWritten, kFailed (refused, by the API server or because the count is outside of the
  // policy's bounds, or not sent at all), or nullopt with the reason in `lost`: it may have been
  // written, now or soon.
  std::optional<engine::Outcome> Write(const api::Autoscaler& policy,
                                       const kube::Resource& resource,
                                       const kube::ScaleChange& change, std::string& lost);

 private:
  kube::Client& client_;
  cluster::ScaleTargets& targets_;
};

}  // namespace ballast::controllers
