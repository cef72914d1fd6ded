#include "operator/cli/cluster/overrides/open_holds.h"

#include "operator/cluster/overrides.h"

namespace ballast::cli {
namespace {

bool IsOpen(const api::AutoScaleOverride& hold, Time now) {
  const std::string& phase = hold.status.phase;
  const bool counts = phase == cluster::kPhaseActive || phase == cluster::kPhaseSuperseded;
  return hold.ended.empty() && (counts || (!HasEnded(hold, now) && hold.start() <= now));
}

}  // namespace

bool MayBeAbout(const api::AutoScaleOverride& override, const OverrideTarget& target) {
  if (!override.spec.selector) {
    return override.target() == target.name;
  }
  return override.spec.kind == target.name.kind &&
         (!target.metadata || override.Selects(*target.metadata));
}

Result<std::vector<api::AutoScaleOverride>> OpenHolds(kube::Transport& transport,
                                                      const OverrideTarget& target, Time now) {
  ASSIGN_OR_RETURN(std::vector<api::AutoScaleOverride> holds,
                   ListOverrides(transport, target.name.namespace_));
  std::erase_if(holds, [&](const api::AutoScaleOverride& one) {
    return !MayBeAbout(one, target) || one.spec.type() != api::OverrideType::kHold ||
           !IsOpen(one, now);
  });
  return holds;
}

}  // namespace ballast::cli
