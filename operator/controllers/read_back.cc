#include "operator/controllers/read_back.h"

#include <string>

namespace ballast::controllers {

using Kind = engine::Outcome::Kind;

std::optional<engine::Outcome> Judge(const api::Scale& scale,
                                     const std::optional<api::FieldManager>& manager,
                                     const kube::ScaleChange& change, bool may_arrive) {
  if (scale.metadata.uid != change.uid) {
    return engine::Outcome{Kind::kUnknown, "the target was deleted and recreated meanwhile"};
  }
  if (scale.spec_replicas == change.from) {
    if (may_arrive) {
      return std::nullopt;
    }
    return engine::Outcome{Kind::kFailed, "the API server did not apply the write"};
  }
  const bool others = manager && manager->manager != kFieldManager;
  if (others || scale.spec_replicas != change.to) {
    return engine::Outcome{Kind::kUnknown,
                           (others ? "\"" + manager->manager + "\"" : "another client") +
                               " set the replicas to " + std::to_string(scale.spec_replicas) +
                               " meanwhile"};
  }
  return engine::Outcome{Kind::kWritten, ""};
}

}  // namespace ballast::controllers
