#include "operator/cli/cluster/overrides/open_holds.h"

namespace ballast::cli {
namespace {

bool IsAbout(const api::AutoScaleOverride& override, const OverrideTarget& target) {
  return override.spec.selector ? override.spec.kind == target.name.kind && target.metadata &&
                                      override.Selects(*target.metadata)
                                : override.target() == target.name;
}

}  // namespace

Result<std::vector<api::AutoScaleOverride>> OpenHolds(kube::Transport& transport,
                                                      const OverrideTarget& target, Time now) {
  ASSIGN_OR_RETURN(std::vector<api::AutoScaleOverride> holds,
                   ListOverrides(transport, target.name.namespace_));
  std::erase_if(holds, [&](const api::AutoScaleOverride& one) {
    return !IsAbout(one, target) || one.spec.type() != api::OverrideType::kHold ||
           HasEnded(one, now) || now < one.start();
  });
  return holds;
}

}  // namespace ballast::cli
