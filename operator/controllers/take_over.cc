#include "operator/controllers/take_over.h"

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/mode.h"

#include <algorithm>
#include <variant>

#include "api/autoscaling/take_over_annotation.h"
#include "operator/engine/conditions.h"
#include "operator/kube/transport.h"

namespace ballast::controllers {

std::optional<std::string> BeginTakeOver(const std::vector<std::string>& hpas,
                                         engine::Snapshot& snapshot) {
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  const auto from = api::TakesOverFrom(snapshot.autoscaler);
  if (scale == nullptr || !from || !api::Scales(snapshot.autoscaler) ||
      std::ranges::find(hpas, *from) != hpas.end()) {
    return std::nullopt;
  }
  if (!snapshot.memory) {
    snapshot.memory.emplace();
  }
  snapshot.memory->recommendations.push_back({snapshot.now, scale->spec_replicas});
  return from;
}

store::Edit FinishTakeOver(const std::string& from, const engine::Snapshot& snapshot,
                           engine::Conclusion& conclusion) {
  const auto& target = snapshot.autoscaler.spec.scale_target_ref;
  const std::string message =
      std::string(api::kHpaKind) + " " + snapshot.autoscaler.metadata.namespace_ + "/" + from +
      " does not scale " + target.kind + " " + target.name +
      ": this policy does now, from its present " +
      std::to_string(std::get<api::Scale>(snapshot.scale).spec_replicas) + " replicas";
  engine::Conditions(conclusion.status.conditions, snapshot.now)
      .True(api::kTookOver, api::kRivalIsGone, message);
  conclusion.events.push_back({"Normal", api::kTookOver, message});
  return {snapshot.now,
          store::kControllerField,
          std::string(api::kHpaKind) + "/" + from,
          snapshot.autoscaler.kind + "/" + snapshot.autoscaler.metadata.name,
          kube::kFieldManager,
          std::nullopt};
}

}  // namespace ballast::controllers
