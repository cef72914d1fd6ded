#include "operator/session/read_back.h"

#include <string>

namespace ballast::session {

using Kind = engine::Outcome::Kind;

namespace {

bool IsAnother(const std::optional<api::FieldManager>& manager) {
  return manager && manager->manager != api::kFieldManager;
}

// Whether somebody else has set the replicas since the evaluation began. A manager's second write
// of a field that it has already leaves its time unchanged, so a newer one means that it had lost
// the field, or wrote another.
bool SetSince(const std::optional<api::FieldManager>& manager, Time began) {
  return IsAnother(manager) && manager->time > began;
}

engine::Outcome SetMeanwhile(const std::string& by, std::int32_t replicas) {
  return {Kind::kUnknown, by + " set the replicas to " + std::to_string(replicas) + " meanwhile"};
}

}  // namespace

std::optional<engine::Outcome> Judge(const api::Scale& scale,
                                     const std::optional<api::FieldManager>& manager,
                                     const api::ScaleChange& change, Time began, bool may_arrive) {
  if (scale.metadata.uid != change.uid) {
    return engine::Outcome{Kind::kUnknown, "the target was deleted and recreated meanwhile"};
  }
  if (scale.spec_replicas == change.from) {
    if (may_arrive) {
      return std::nullopt;
    }
    return SetSince(manager, began)
               ? SetMeanwhile('"' + manager->manager + '"', scale.spec_replicas)
               : engine::Outcome{Kind::kFailed, "the API server did not apply the write"};
  }
  const bool others = IsAnother(manager);
  if (others || scale.spec_replicas != change.to) {
    return SetMeanwhile(others ? '"' + manager->manager + '"' : "another client",
                        scale.spec_replicas);
  }
  return engine::Outcome{Kind::kWritten, ""};
}

}  // namespace ballast::session
