#include "operator/cli/cluster/overrides/open_holds.h"

#include <utility>

#include "operator/cli/cluster/overrides/override_objects.h"

namespace ballast::cli {

Result<std::vector<api::AutoScaleOverride>> OpenHolds(kube::Client& client,
                                                      const api::ObjectReference& target,
                                                      Time now) {
  ASSIGN_OR_RETURN(std::vector<api::AutoScaleOverride> holds,
                   ListOverrides(client, target.namespace_));
  std::erase_if(holds, [&](const api::AutoScaleOverride& one) {
    return one.target() != target || one.spec.type() != api::OverrideType::kHold ||
           HasEnded(one, now) || now < one.start();
  });
  return holds;
}

}  // namespace ballast::cli
