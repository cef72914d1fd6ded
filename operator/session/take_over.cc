#include "operator/session/take_over.h"

#include <algorithm>
#include <variant>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/take_over_annotation.h"

namespace ballast::session {

std::optional<std::string> TakesOverNow(const std::vector<std::string>& hpas,
                                        const engine::Snapshot& snapshot) {
  const bool may =
      std::holds_alternative<api::Scale>(snapshot.scale) && api::Scales(snapshot.autoscaler);
  auto from = may ? api::TakesOverFrom(snapshot.autoscaler) : std::nullopt;
  if (from && std::ranges::find(hpas, *from) != hpas.end()) {
    from.reset();
  }
  return from;
}

store::Edit TakeOverOf(const engine::Snapshot& snapshot) {
  return {snapshot.now,
          store::kControllerField,
          std::string(api::kHpaKind) + "/" + snapshot.takes_over_from.value(),
          snapshot.autoscaler.kind + "/" + snapshot.autoscaler.metadata.name,
          api::kFieldManager,
          std::nullopt};
}

}  // namespace ballast::session
